//! How long an attempt may go on.

use std::time::Duration;

/// The bounds of one attempt. An attempt that would go beyond one of them ends without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most actions, that is, calls and questions to the user.
    pub actions: usize,
    /// The most turns of a model; agents without one take none.
    pub turns: usize,
    /// Prompt and completion tokens after which no further turn is taken; `None` for no limit.
    pub tokens: Option<u64>,
    /// Time after which a model-backed agent begins no further turn or call; `None` for no limit. A
    /// model call in flight is not cut: it has deadlines of its own.
    pub wall_clock: Option<Duration>,
}

impl Default for Limits {
    /// Generous enough for every task of the workshop.
    fn default() -> Self {
        Self { actions: 120, turns: 200, tokens: None, wall_clock: None }
    }
}
