//! Who may ask for what, and how much: tokens and their rights, TLS, limits, and the one gate in front
//! of every method.
//!
//! A caller without a valid token learns nothing: known and unknown methods answer alike.

mod connection;
mod gate;
mod limits;
mod policy;
mod rights;
mod tls;
mod tokens;

pub(crate) use connection::{Peer, incoming};
pub(crate) use gate::Gate;
pub use limits::Limits;
pub use policy::Security;
pub use rights::{Right, Rights};
pub use tls::Tls;
pub use tokens::Tokens;

#[cfg(test)]
mod tests;
