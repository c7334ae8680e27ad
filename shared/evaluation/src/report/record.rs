//! One line of the CSV form: one measure, of one thing.

use serde::Serialize;

/// A measure with all that belongs to it; what does not apply stays empty. The fields' order is the
/// columns' order.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Record<'a> {
    /// The measure's name.
    pub measure: &'static str,
    /// The condition; in a comparison, the one that is compared.
    pub condition: &'a str,
    /// The condition that is compared with.
    pub base: &'a str,
    /// The target; empty for all together.
    pub target: &'a str,
    /// The ability; empty for all together.
    pub ability: &'a str,
    /// The role; empty for all together.
    pub role: &'a str,
    /// The value: a fraction, a count, tokens, or nano-dollars, as the name says.
    pub value: Option<f64>,
    /// The value's standard error.
    pub standard_error: Option<f64>,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Attempts that passed.
    pub passed: Option<u64>,
    /// Attempts, pairs, repeats or tasks that the value is over.
    pub resolved: Option<u64>,
    /// Attempts, pairs, repeats or tasks that there are.
    pub requested: Option<u64>,
    /// The title of the part that the measure is over; empty for all episodes.
    pub part: &'a str,
}
