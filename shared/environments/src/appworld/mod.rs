//! AppWorld, in processes of their own behind a thin adapter: nine simulated apps, and tasks for
//! agents that write code.
//!
//! A warmed process forks one child for each episode. The child sees no answer key; its sealed
//! output is graded by the benchmark's own evaluator in another child. Nothing here calls a model.

mod recipe;
mod world;

pub use recipe::RECIPE;
pub use world::{AppWorld, HeldOut, NAME, Reference};
