//! The small HTTP server for operators: metrics, liveness, readiness. No other path exists.

mod readiness;
mod server;

pub use readiness::Readiness;
pub use server::serve_http;
