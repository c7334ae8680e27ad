//! Providers: one folder per protocol, each from our request to our response. No retry, no limit,
//! no money here.

mod anthropic;
mod catalogue;
mod openai;
mod provider;
pub mod scripted;
mod wire_names;

pub use catalogue::CATALOGUE;
pub(crate) use catalogue::build;
pub use provider::Provider;
