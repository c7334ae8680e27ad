//! The embedded backend: one SQLite file, one writer thread with group commit, readers beside it.

mod failure;
mod open;
mod owner;
mod read;
mod schema;
mod store;
mod worker;
mod write;

pub use store::SqliteStore;

#[cfg(test)]
mod tests;
