//! Agreement: a judge with the official verifier, and one ranking with another.

mod confusion;
mod kendall;

pub use confusion::Confusion;
pub use kendall::{KendallTau, kendall_tau_b};
