//! Tests of the agent that writes code, in a made-up environment with scripted answers.

mod cells;
mod endings;
mod reading;
mod support;
