//! The curations of whole runs: real submissions of the workshop, real results, one real store.

mod order;
mod stalls;
mod support;
