//! GAIA2 in Meta Agents Research Environments (ARE), in processes of their own behind an adapter.
//!
//! ARE's code holds applications, events and judge; its agent, its event loop and its model client
//! are not used. Time is simulated and moves with what the agent does. Nothing here calls a model:
//! the judge is asked back.

mod gaia2;
mod recipe;

pub use gaia2::{Gaia2, NAME};
pub use recipe::RECIPE;
