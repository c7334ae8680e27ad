//! The way to a coordinator: addresses, security, and calls that outlast an outage.

mod call;
mod connection;
mod settings;

pub(crate) use call::{CallError, describe};
pub use connection::{Link, Service};
pub(crate) use connection::{blob_client, worker_client};
pub use settings::{LinkSettings, TlsFiles};

#[cfg(test)]
mod tests;
