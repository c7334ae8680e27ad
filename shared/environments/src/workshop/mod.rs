//! The workshop: a small office of six apps, embedded and in-process, with real state, typed
//! tools, a scripted user and a verifier. It needs no key, no network and no container.

mod apps;
mod data;
mod environment;
mod furnish;
pub mod intent;
mod listing;
mod oracle;
mod page;
mod random;
mod setup;
mod template;
mod templates;
#[cfg(test)]
mod tests;
mod tool;
mod user;
mod verifier;
mod world;

pub use environment::{NAME, Workshop};
pub use listing::{intent, tasks};
