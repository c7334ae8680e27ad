//! The limiter: requests in flight, requests and tokens per minute, of each model under each account.
//! All calls of a process share it, and all processes share what a dealer deals.

mod dealer;
mod lane;
mod lanes;
mod pace;
mod share;
mod tend;
#[cfg(test)]
mod tests;

pub use dealer::{Dealt, ShareDealer, Unshared};
pub use lanes::Limiter;
