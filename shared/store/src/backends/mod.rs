//! One folder per backend; each passes the same conformance suite.

#[cfg(feature = "redis")]
pub mod redis;
pub mod sqlite;
