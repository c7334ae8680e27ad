//! One folder per backend; each passes the same conformance suite.

pub mod sqlite;
