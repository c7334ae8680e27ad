//! The coordinator: who works on what, decided purely and written down before anybody acts on it.
//!
//! [`state`] is the pure machine, [`schedule`] its solver, [`curation`] the order in which packets
//! reach a bank, [`Driver`] makes events durable and then performs their effects, and [`Core`] is the
//! one loop around it that everybody else in the process talks to. Time, requests and effects are
//! values for all but the last, so they run in a simulation under one seed.

mod books;
mod core;
pub mod curation;
mod driver;
mod effect;
mod error;
mod grpc;
mod http;
mod metrics;
mod news;
mod record;
pub mod schedule;
mod security;
mod serve;
mod snapshot;
pub mod state;

pub use core::{AskError, Core, CoreSettings, Leading};
pub use driver::{Driver, Request};
pub use effect::{Answer, Effect, Effects, Grant};
pub use error::Error;
pub use http::{Readiness, serve_http};
pub use metrics::Metrics;
pub use news::News;
pub use record::Record;
pub use security::{Limits, Right, Rights, Security, Tls, Tokens};
pub use serve::{Serve, ServeParts};
