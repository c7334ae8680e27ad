//! A whole run: planned, worked on, curated.

mod crash;
mod curation;
mod format;
mod order;
mod pipeline;
mod planning;
mod recorded;
mod units;
