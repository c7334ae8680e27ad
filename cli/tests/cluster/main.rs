//! The built `palaestra` as a cluster of real processes that are killed, paused, cut off and started
//! again. How to run more of it: `docs/how-to/prove-it.md`.

#[cfg(test)]
mod billing;
#[cfg(test)]
mod certificates;
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod drain;
#[cfg(test)]
mod evaluation;
#[cfg(test)]
mod hosts;
#[cfg(test)]
mod in_process;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod lab;
#[cfg(test)]
mod pauses;
#[cfg(test)]
mod probes;
#[cfg(test)]
mod process;
#[cfg(test)]
mod redis;
#[cfg(test)]
mod security;
#[cfg(test)]
mod words;
