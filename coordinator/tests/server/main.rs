//! The coordinator's server in this process, over real connections and over those in memory.

#[cfg(test)]
mod blobs;
#[cfg(test)]
mod certificates;
#[cfg(test)]
mod house;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod probes;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod work;
#[cfg(test)]
mod worker;
