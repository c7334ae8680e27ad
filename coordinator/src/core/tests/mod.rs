//! The loop on a real store: many who ask, restarts, another leader, a store that fails and recovers.

mod failing;
pub mod leading;
mod store;
