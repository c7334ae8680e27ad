//! A model service for tests and rehearsals, in the form of OpenAI's chat completions: no model is
//! behind it. The workshop's scripted agents play agents, a small program plays the construction
//! model, agents with the reference play τ²-bench where it is installed, and every answer is billed
//! and counted. Nothing that these programs do is evidence about real models.
//!
//! It keeps no conversation: what it answers is a function of the request alone.

mod arguments;
mod book;
mod chat;
mod constructor;
mod error;
mod options;
mod reply;
mod scripted;
mod server;
mod service;
mod tau2;

pub use arguments::Arguments;
pub use book::{RequestStats, Stats, Totals};
pub use error::Error;
pub use options::Options;
pub use server::Server;
