//! Many schedules side by side, and one schedule twice.

use std::ops::Range;

use anyhow::{anyhow, ensure};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::mutation::Mutation;
use crate::report::{Coverage, Failure, Report};
use crate::schedule::Schedule;
use crate::shrink::{Shrunk, shrink};

/// Of so many schedules one is run twice, and both times have to write the same bytes.
const TWICE_EVERY: u64 = 8;

/// Runs the schedules of some seeds on all cores, and sums what they met.
///
/// # Errors
/// The failure of the smallest seed that failed, shrunk.
pub fn many(seeds: Range<u64>) -> anyhow::Result<Coverage> {
    let met: Vec<anyhow::Result<Report>> = seeds
        .into_par_iter()
        .map(|seed| if seed.is_multiple_of(TWICE_EVERY) { twice(seed) } else { once(seed) })
        .collect();
    met.into_iter().try_fold(Coverage::default(), |sum, report| Ok(sum.plus(report?.coverage)))
}

/// Runs the schedule of one seed twice.
///
/// # Errors
/// Its failure, shrunk.
pub fn single(seed: u64) -> anyhow::Result<Coverage> {
    Ok(twice(seed)?.coverage)
}

/// The first seed that a defect breaks, and how.
///
/// # Errors
/// When the defect breaks none of them.
pub fn hunt(mutation: Mutation, seeds: Range<u64>) -> anyhow::Result<Shrunk> {
    for seed in seeds {
        let schedule = Schedule::of(seed, Some(mutation))?;
        if let Err(failure) = schedule.run() {
            return Ok(shrink(&schedule, failure));
        }
    }
    Err(anyhow!("{mutation:?} was not found"))
}

fn once(seed: u64) -> anyhow::Result<Report> {
    let schedule = Schedule::of(seed, None)?;
    let shrunk = |failure: Failure| anyhow!("{}", shrink(&schedule, failure));
    schedule.run().map_err(shrunk)
}

fn twice(seed: u64) -> anyhow::Result<Report> {
    let (first, second) = (once(seed)?, once(seed)?);
    ensure!(first == second, "seed {seed} wrote other bytes the second time");
    Ok(first)
}
