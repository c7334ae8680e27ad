//! The workspace's Rust sources as plain facts: which module a file is, whether only tests see it,
//! which items it declares, and which paths and macros it names.

mod facts;
mod mentions;
mod walk;

pub use facts::{Facts, Mention, TopLevel, facts};
pub use walk::{SourceFile, sources, walk};
