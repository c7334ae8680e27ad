//! An agent with a language model that writes code: it writes a cell, reads the output, and goes on.
//!
//! For environments that offer a function which executes Python. The first fenced block of a turn is
//! the cell; what stands behind it is dropped, since a model that goes on makes up the output. The
//! environment ends the attempt, when the code completes the task; words without a cell are told to be
//! no way on, once, and end the attempt after that. Functions are not offered as tools: the code finds
//! them by the environment's own documentation.

mod agent;
mod attempt;
mod reply;
mod settings;
#[cfg(test)]
mod tests;

pub use agent::CodeCellAgent;
pub use settings::CodeCellSettings;
