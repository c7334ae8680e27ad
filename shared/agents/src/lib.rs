//! One task, one agent, one world: one trajectory (§3.1, τ_{i,m}).
//!
//! Agents act through the environment contract only; they never verify themselves.

pub mod agent;
pub mod asked;
pub mod catalogue;
pub mod code_cell;
mod conversation;
pub mod error;
mod failure;
pub mod function_calling;
pub mod guide;
pub mod limits;
mod scripted;
mod session;

pub use agent::{Agent, Assignment};
pub use asked::{ModelAnswers, Speakers};
pub use code_cell::{CodeCellAgent, CodeCellSettings};
pub use error::Error;
pub use function_calling::{FunctionCallingAgent, FunctionCallingSettings};
pub use guide::Guide;
pub use limits::Limits;
