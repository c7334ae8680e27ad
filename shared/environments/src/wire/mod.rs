//! Environments on the other end of a byte stream: one JSON object a line, one request at a time.
//!
//! The protocol is written down in `docs/environment-protocol.md`; `python/palaestra_wire.py` is
//! its other side. Nothing here knows a benchmark, and nothing here calls a model: what needs one
//! is asked back and answered by the caller.

mod asked;
mod connection;
mod environment;
mod lines;
mod message;
mod pool;
mod python;
mod settings;
#[cfg(test)]
mod tests;

pub use asked::{AskBack, AskError, AskMessage, AskRole, Asked, Purpose};
pub use environment::WireEnvironment;
pub use message::RefusalKind;
pub use pool::Pool;
pub(crate) use python::PYTHON_SIDE;
pub use settings::WireSettings;
