//! One contract, many worlds: the workshop, benchmarks in processes of their own, and recorded
//! trajectories.

pub mod appworld;
pub mod are;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod contract;
pub mod error;
pub mod launch;
pub mod recorded;
pub mod tau2;
pub mod wire;
pub mod workshop;
mod worlds;

pub use contract::Environment;
pub use error::Error;
pub use worlds::Worlds;
