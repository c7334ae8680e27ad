//! An interval's two ends.

use serde::Serialize;

/// A 95 % interval, as fractions of 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}
