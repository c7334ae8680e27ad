//! The built `palaestra` command, as its users run it.

#[cfg(test)]
mod ablations;
#[cfg(test)]
mod canaries;
#[cfg(test)]
mod containers;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod evaluation;
#[cfg(test)]
mod evaluation_kills;
#[cfg(test)]
mod importing;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod interruption;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod one_store;
#[cfg(test)]
mod quickstart;
#[cfg(test)]
mod retail;
#[cfg(test)]
mod support;
