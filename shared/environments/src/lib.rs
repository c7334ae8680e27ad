//! One contract, many worlds: the workshop, benchmarks in processes of their own, and recorded
//! trajectories.

pub mod catalogue;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod contract;
pub mod error;
pub mod launch;
pub mod recorded;
pub mod tau2;
pub mod wire;
pub mod workshop;

pub use contract::Environment;
pub use error::Error;
