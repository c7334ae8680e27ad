//! One task, one agent, one world: one trajectory (§3.1, τ_{i,m}).
//!
//! Agents act through the environment contract only; they never verify themselves.

pub mod agent;
pub mod catalogue;
pub mod error;
pub mod function_calling;
pub mod limits;
mod scripted;
mod session;

pub use agent::{Agent, Assignment};
pub use error::Error;
pub use function_calling::{FunctionCallingAgent, FunctionCallingSettings};
pub use limits::Limits;
