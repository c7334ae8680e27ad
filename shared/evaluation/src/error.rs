//! What can go wrong before anything is measured: episodes that contradict each other, settings out of
//! range. A measure that is not defined on its input is no error: it is `None`, printed as `n/a`.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Two results for one episode.
    #[error(
        "cannot measure {episode}: it stands in the table twice; keep one result per condition, target, task and repeat"
    )]
    Duplicate {
        /// The episode, in words.
        episode: String,
    },
    /// Episodes of one task that do not describe the same task.
    #[error(
        "cannot pair {episode}: its {what} is {found}, another episode says {expected}; measure every condition on one split, data version and seed"
    )]
    Contradiction {
        /// The episode, in words.
        episode: String,
        /// What differs.
        what: &'static str,
        /// What this episode says.
        found: String,
        /// What an earlier episode says.
        expected: String,
    },
    /// A condition without episodes.
    #[error("cannot report on condition {condition:?}: no episode has it; known: {known}")]
    UnknownCondition {
        /// The condition that was asked for.
        condition: String,
        /// The conditions that there are.
        known: String,
    },
    /// A setting outside its range.
    #[error("cannot use {what} {value}: {rule}")]
    OutOfRange {
        /// The setting, with its unit.
        what: &'static str,
        /// The refused value.
        value: String,
        /// The allowed range, in words.
        rule: &'static str,
    },
    /// Records that cannot be written as CSV.
    #[error("cannot write the report's records as CSV: {0}; this is a fault of this program")]
    Csv(#[from] csv::Error),
}
