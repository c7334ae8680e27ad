//! Evaluations in the embedded world: their plan, what is refused, what guides an agent, what is kept.

mod guiding;
mod planning;
mod recording;
mod support;
