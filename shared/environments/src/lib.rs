//! One contract, many worlds: the workshop and recorded trajectories.

pub mod catalogue;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod contract;
pub mod error;
pub mod recorded;
pub mod workshop;

pub use contract::Environment;
pub use error::Error;
