//! Serialized curation: in which order packets reach a bank. Who curates them comes from the methods.

mod sequencer;

pub use sequencer::{Packet, Sequencer};
