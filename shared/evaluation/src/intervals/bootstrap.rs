//! The paired percentile bootstrap over tasks (DAEDALUS appendix C).

use serde::Serialize;

use super::interval::Interval;
use super::splitmix::SplitMix64;
use crate::error::Error;

/// One task's share of a paired mean: the sum of its differences and how many there are. Repeats and
/// targets of one task stay together, since they share what makes the task hard.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cluster {
    /// The sum of the task's differences.
    pub sum: f64,
    /// How many differences that is.
    pub weight: f64,
}

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bootstrap {
    resamples: u32,
    seed: u64,
}

impl Default for Bootstrap {
    /// 10,000 resamples from seed 1.
    fn default() -> Self {
        Self { resamples: 10_000, seed: 1 }
    }
}

impl Bootstrap {
    /// A number of resamples and the seed of their draws.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] below 1,000 resamples: the ends of the interval would be noise.
    pub fn new(resamples: u32, seed: u64) -> Result<Self, Error> {
        if resamples < 1_000 {
            return Err(Error::OutOfRange {
                what: "bootstrap resamples",
                value: resamples.to_string(),
                rule: "at least 1000, so that 25 of them lie beyond each end",
            });
        }
        Ok(Self { resamples, seed })
    }

    /// The resamples that are drawn.
    #[must_use]
    pub fn resamples(self) -> u32 {
        self.resamples
    }

    /// The seed of the draws.
    #[must_use]
    pub fn seed(self) -> u64 {
        self.seed
    }

    /// The 95 % interval of Σ sums / Σ weights when tasks are drawn with replacement: the 2.5 % and
    /// 97.5 % points of the resampled means, by nearest rank. Tasks without weight are passed over;
    /// none below two tasks.
    #[must_use]
    pub fn interval(self, tasks: &[Cluster]) -> Option<Interval> {
        let tasks: Vec<Cluster> = tasks.iter().copied().filter(|task| task.weight > 0.0).collect();
        if tasks.len() < 2 {
            return None;
        }
        let mut stream = SplitMix64::new(self.seed);
        let mut means: Vec<f64> = (0..self.resamples).map(|_| resampled(&tasks, &mut stream)).collect();
        means.sort_by(f64::total_cmp);
        let rank = |permille: u64| (u64::from(self.resamples) * permille).div_ceil(1_000) as usize - 1;
        Some(Interval { low: *means.get(rank(25))?, high: *means.get(rank(975))? })
    }
}

fn resampled(tasks: &[Cluster], stream: &mut SplitMix64) -> f64 {
    let drawn = (0..tasks.len()).filter_map(|_| tasks.get(stream.below(tasks.len())));
    let total = drawn.fold(Cluster::default(), |total, task| Cluster {
        sum: total.sum + task.sum,
        weight: total.weight + task.weight,
    });
    total.sum / total.weight
}
