//! The run file: one YAML document that says what to build, read by every command alike.
//!
//! Reading is three steps, and each reports all of its mistakes with their lines: [`tree`] turns
//! YAML into values that remember their line, [`check`] holds them against the JSON Schema of
//! [`spec`] (and their names against the names' own rules), and [`mod@read`] looks for contradictions.

pub mod check;
mod contradictions;
pub mod mistake;
pub mod model_ref;
mod names;
pub mod read;
pub mod spec;
pub mod tree;

pub use mistake::{Mistake, Mistakes};
pub use model_ref::ModelRef;
pub use read::{read, schema};
pub use spec::RunFile;
