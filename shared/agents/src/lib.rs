//! One task, one model, one memory: one trajectory.
