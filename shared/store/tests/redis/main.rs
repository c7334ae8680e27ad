//! The Redis backend against real `redis-server` processes; skipped where there is no such program.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod lease;
#[cfg(test)]
mod outage;
#[cfg(test)]
mod proxy;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod restart;
#[cfg(test)]
mod server;
