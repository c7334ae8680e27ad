//! Tests of the scripted agents in the workshop.

mod contrast;
mod support;
mod trajectories;
