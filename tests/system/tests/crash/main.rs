//! Runs that die at every durable write and are continued: the same bank, nothing bought twice.

#[cfg(test)]
mod evaluation;
#[cfg(test)]
mod language_model;
#[cfg(test)]
mod live;
#[cfg(test)]
mod miner;
#[cfg(test)]
mod run;
#[cfg(test)]
mod service;
