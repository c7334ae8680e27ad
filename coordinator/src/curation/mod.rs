//! Serialized curation: one curator per run, which feeds packets in curriculum order and builds the
//! banks. How that is done comes from the methods; only this folder knows them, and models.

mod about;
mod account;
mod calls;
mod dealer;
mod export;
mod gather;
mod keeper;
mod models;
mod progress;
mod runner;
mod sequencer;
mod stall;
mod status;

pub(crate) use about::{About, about, about_stored};
pub(crate) use calls::{CallCounts, CallFacts, calls};
pub(crate) use export::{Artefact, artefacts, bank_file};
pub(crate) use progress::Progress;
pub use runner::Curations;
pub use sequencer::Sequencer;
pub use status::CurationStatus;

#[cfg(test)]
mod tests;
