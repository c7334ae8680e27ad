//! Importers: trajectories that other benchmarks' runs left behind become domain trajectories.
//!
//! One file per format; what the formats share (reading, splitting into records, chat messages,
//! names, verdicts) stands beside them. Nothing here runs an agent, asks a model or reads the
//! expected actions of a task: those are for scoring (ContraMem §3.1, the input of construction).

mod arguments;
mod chat;
pub(crate) mod decode;
mod detect;
mod file;
mod import;
mod intercode;
mod labels;
mod message;
mod names;
mod natural;
mod openai_chat;
mod options;
mod palaestra;
mod records;
mod report;
mod scan;
mod scenario;
mod shell;
mod tau1;
mod tau2;
mod tau2_trace;
mod tool_text;
mod verdict;
mod walk;

#[cfg(test)]
mod tests;

pub use import::{import, import_each};
pub use natural::natural_cmp;
pub use options::{Format, ImportOptions, Input};
pub use palaestra::{FORMAT_NAME, FORMAT_VERSION, Writer};
pub use report::{FileReport, Imported, Refusal};
