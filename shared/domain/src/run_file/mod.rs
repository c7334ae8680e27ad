//! The run file: YAML that says what to build and what to measure, read by every command alike. A file
//! may hold several documents, done in their order; each is one run of one kind.
//!
//! Reading is three steps, and each reports all of its mistakes with their lines: [`tree`] turns
//! YAML into values that remember their line, [`check`] holds them against the JSON Schema of
//! [`spec`] (and their names against the names' own rules), and [`mod@read`] looks for contradictions.

pub mod check;
mod contradictions;
pub mod document;
pub mod environment;
pub mod evaluation;
pub mod mistake;
pub mod model_ref;
mod names;
pub mod read;
pub mod spec;
pub mod tree;

pub use document::{Document, read_all};
pub use evaluation::EvaluationRun;
pub use mistake::{Mistake, Mistakes};
pub use model_ref::ModelRef;
pub use read::{evaluation_schema, read, schema};
pub use spec::RunFile;
