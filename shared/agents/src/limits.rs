//! How long an attempt may go on.

/// The bounds of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most actions, that is, calls and questions to the user. An attempt that would need one
    /// more ends without a result.
    pub actions: usize,
}

impl Default for Limits {
    /// Generous enough for every task of the workshop.
    fn default() -> Self {
        Self { actions: 120 }
    }
}
