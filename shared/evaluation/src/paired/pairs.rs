//! What is paired with what: the same target's attempts at the same task in the same repeat, where both
//! conditions resolved. Nothing else is a pair.

use std::collections::BTreeMap;

use palaestra_domain::{SourceId, TaskId};

use super::flips::Flips;
use crate::episode::Episode;
use crate::intervals::Cluster;
use crate::number::ratio;
use crate::success::{pass_hat, passes_by_task};

/// Episodes of two conditions, side by side.
#[derive(Debug, Clone)]
pub struct Pairs<'a> {
    /// The pairs that both sides resolved, in order of task, target and repeat.
    pairs: Vec<(&'a Episode, &'a Episode)>,
    /// Attempts of either side that have no resolved counterpart.
    unpaired: u64,
}

/// Pairs two conditions by target, task and repeat.
pub fn pair<'a>(
    base: impl IntoIterator<Item = &'a Episode>,
    other: impl IntoIterator<Item = &'a Episode>,
) -> Pairs<'a> {
    pair_by(base, other, |episode| episode.repeat)
}

/// Pairs by target, task and whatever `repeat` says; the null control pairs different repeats.
pub(super) fn pair_by<'a>(
    base: impl IntoIterator<Item = &'a Episode>,
    other: impl IntoIterator<Item = &'a Episode>,
    repeat: impl Fn(&Episode) -> u32,
) -> Pairs<'a> {
    type Sides<'a> = (Option<&'a Episode>, Option<&'a Episode>);
    let mut sides: BTreeMap<(&TaskId, &SourceId, u32), Sides<'a>> = BTreeMap::new();
    for episode in base {
        sides.entry((&episode.task, &episode.target, repeat(episode))).or_default().0 = Some(episode);
    }
    for episode in other {
        sides.entry((&episode.task, &episode.target, repeat(episode))).or_default().1 = Some(episode);
    }
    let mut found = Pairs { pairs: Vec::new(), unpaired: 0 };
    for side in sides.into_values() {
        match side {
            (Some(base), Some(other)) if base.outcome.resolved() && other.outcome.resolved() => {
                found.pairs.push((base, other));
            }
            _ => found.unpaired += 1,
        }
    }
    found
}

impl Pairs<'_> {
    /// How the outcomes changed.
    #[must_use]
    pub fn flips(&self) -> Flips {
        let mut flips = Flips { unpaired: self.unpaired, ..Flips::default() };
        for (base, other) in &self.pairs {
            let row = match (base.outcome.passed(), other.outcome.passed()) {
                (false, true) => &mut flips.gained,
                (true, false) => &mut flips.lost,
                (true, true) => &mut flips.both_passed,
                (false, false) => &mut flips.both_failed,
            };
            *row += 1;
        }
        flips
    }

    /// Differences in success, one cluster per task, for the bootstrap.
    #[must_use]
    pub fn success_clusters(&self) -> Vec<Cluster> {
        let mut tasks: BTreeMap<&TaskId, Cluster> = BTreeMap::new();
        for (base, other) in &self.pairs {
            let task = tasks.entry(&base.task).or_default();
            let passed = |episode: &Episode| f64::from(u8::from(episode.outcome.passed()));
            task.sum += passed(other) - passed(base);
            task.weight += 1.0;
        }
        tasks.into_values().collect()
    }

    /// Differences in pass^k, one cluster per task; tasks with fewer than k pairs are left out.
    #[must_use]
    pub fn pass_hat_clusters(&self, k: u32) -> Vec<Cluster> {
        let base = passes_by_task(self.pairs.iter().map(|(base, _)| *base));
        let other = passes_by_task(self.pairs.iter().map(|(_, other)| *other));
        let mut tasks: BTreeMap<&TaskId, Cluster> = BTreeMap::new();
        for ((key, before), after) in base.iter().zip(other.values()) {
            if let (Some(before), Some(after)) = (pass_hat(*before, k), pass_hat(*after, k)) {
                let task = tasks.entry(key.0).or_default();
                task.sum += after - before;
                task.weight += 1.0;
            }
        }
        tasks.into_values().collect()
    }

    /// Mean agent events on either side (table A2); none without pairs.
    #[must_use]
    pub fn mean_events(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs.len() as u64;
        let base = self.pairs.iter().map(|(base, _)| base.agent_events).sum();
        let other = self.pairs.iter().map(|(_, other)| other.agent_events).sum();
        Some((ratio(base, pairs)?, ratio(other, pairs)?))
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Whether nothing could be paired.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

/// The mean that clusters stand for; none without weight.
pub(crate) fn cluster_mean(tasks: &[Cluster]) -> Option<f64> {
    let weight: f64 = tasks.iter().map(|task| task.weight).sum();
    let sum: f64 = tasks.iter().map(|task| task.sum).sum();
    (weight > 0.0).then(|| sum / weight)
}
