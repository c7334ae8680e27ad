//! The A/A null control: what a comparison says when there is nothing to find.
//!
//! One condition is compared with itself, every repeat with every later one. A difference between two
//! conditions that is no larger than these is what chance alone does here.

use std::collections::BTreeSet;

use serde::Serialize;

use super::flips::Flips;
use super::pairs::pair_by;
use crate::episode::Episode;

/// All comparisons of one condition's repeats with each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NullControl {
    /// Comparisons of two repeats: r (r - 1) / 2 for r repeats that have pairs.
    pub comparisons: u64,
    /// The pairs of all comparisons together.
    pub flips: Flips,
    /// The largest difference in success of one comparison, 0 to 1.
    pub largest_difference: f64,
    /// The smallest exact p-value of one comparison; the smallest of many is small by chance.
    pub smallest_p: f64,
}

impl NullControl {
    /// Compares the repeats of one condition's episodes; none when no two repeats have a pair.
    pub fn of<'a>(episodes: impl IntoIterator<Item = &'a Episode>) -> Option<Self> {
        let episodes: Vec<&Episode> = episodes.into_iter().collect();
        let repeats: BTreeSet<u32> = episodes.iter().map(|episode| episode.repeat).collect();
        let of = |repeat: u32| episodes.iter().copied().filter(move |episode| episode.repeat == repeat);
        let mut control: Option<Self> = None;
        for first in &repeats {
            for second in repeats.iter().filter(|second| *second > first) {
                let flips = pair_by(of(*first), of(*second), |_| 0).flips();
                let Some(difference) = flips.difference() else { continue };
                let one = Self {
                    comparisons: 1,
                    flips,
                    largest_difference: difference.abs(),
                    smallest_p: flips.exact_p(),
                };
                control = Some(control.map_or(one, |sum| sum.plus(one)));
            }
        }
        control
    }

    fn plus(self, other: Self) -> Self {
        Self {
            comparisons: self.comparisons + other.comparisons,
            flips: self.flips.plus(other.flips),
            largest_difference: self.largest_difference.max(other.largest_difference),
            smallest_p: self.smallest_p.min(other.smallest_p),
        }
    }
}
