//! ContraMem: procedural memory from what several sources' attempts at one task disagree about.
//!
//! One file per step of the paper's algorithm 1: [`normalize`], [`function_observation`],
//! [`contrast_packet`] (with [`differences`]), [`function_card_builder`], [`focus`], [`reflector`],
//! [`curator`] and [`construct`], which runs them in order. [`miner`] is the built-in construction
//! model: the same contracts, no language model.

pub mod construct;
pub mod contrast_packet;
pub mod curator;
pub mod curriculum;
pub mod differences;
pub mod error;
pub mod focus;
pub mod function_card_builder;
pub mod function_observation;
pub mod language;
pub mod miner;
pub mod model;
pub mod normalize;
pub mod reflector;
pub mod retrieval;
pub mod run;
pub mod stored_packet;
