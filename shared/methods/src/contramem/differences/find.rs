//! All detectors in their fixed order, and how strong a difference is.

use palaestra_domain::packet::{ContrastKind, Difference, RunView};

use super::side::Side;
use super::{asking, failures, paging, reads, writes};

/// Most differences that a packet lists; the strongest come first.
const MOST: usize = 12;

/// All differences of a packet, strongest first.
#[must_use]
pub fn find(runs: &[RunView], contrast: ContrastKind) -> Vec<Difference> {
    let (passing, failing): (Vec<&RunView>, Vec<&RunView>) =
        runs.iter().partition(|run| run.outcome == "passed");
    let (passing, failing) = (Side::new(passing), Side::new(failing));
    let mut found = match contrast {
        ContrastKind::Disagreement => [
            writes::missing(&passing, &failing),
            writes::extra(&passing, &failing),
            writes::arguments(&passing, &failing),
            writes::counts(&passing, &failing),
            writes::order(&passing, &failing),
            reads::before_write(&passing, &failing),
            paging::to_the_end(&passing, &failing),
            asking::before_write(&passing, &failing),
            failures::recovery(&passing, &failing),
            failures::stopping_point(&passing, &failing),
            reads::repeated(&passing, &failing),
        ]
        .concat(),
        ContrastKind::AllPassed => {
            [reads::redundancy(&passing), failures::recovery(&passing, &failing)].concat()
        }
        ContrastKind::AllFailed => failures::shared(&failing),
        ContrastKind::NoEvidence => Vec::new(),
    };
    // Stable: detectors run in a fixed order and list functions by name.
    found.sort_by(|a, b| separation(b).total_cmp(&separation(a)));
    found.truncate(MOST);
    found
}

/// How well the behaviour separates the sides: share among passing minus share among failing,
/// from 1 (perfect) downwards. Where nobody passed, the share of the failing runs that agree.
#[must_use]
pub fn separation(difference: &Difference) -> f64 {
    let share = |with: usize, of: usize| if of == 0 { 0.0 } else { with as f64 / of as f64 };
    if difference.passing.of == 0 {
        return share(difference.failing.with, difference.failing.of);
    }
    share(difference.passing.with, difference.passing.of)
        - share(difference.failing.with, difference.failing.of)
}

/// Whether one run is longer than another by more than noise: half as much again and three events.
#[must_use]
pub fn meaningfully_longer(longer: usize, shorter: usize) -> bool {
    longer >= shorter + 3 && longer * 2 >= shorter * 3
}
