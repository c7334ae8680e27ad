//! One condition against another, on their pairs.

use palaestra_domain::{Ability, SourceId};
use serde::Serialize;

use crate::episode::Episode;
use crate::intervals::{Bootstrap, Interval};
use crate::paired::{Flips, cluster_mean, pair};

/// Two conditions, compared on what both resolved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The condition that is compared with.
    pub base: String,
    /// The condition that is compared.
    pub other: String,
    /// The target, or none for all of them together.
    pub target: Option<SourceId>,
    /// Pairs by their outcomes.
    pub flips: Flips,
    /// The 95 % interval of the difference in success, by the paired bootstrap over tasks.
    pub interval: Option<Interval>,
    /// The difference in pass^k over tasks with k pairs, -1 to 1; none for k = 1.
    pub pass_k_difference: Option<f64>,
    /// Its 95 % interval.
    pub pass_k_interval: Option<Interval>,
    /// Mean agent events per pair, by ability; an ability without pairs is absent.
    pub events: Vec<AbilityEvents>,
}

/// Mean agent events of one ability's pairs (table A2).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AbilityEvents {
    /// The ability.
    pub ability: Ability,
    /// Pairs that the means are over.
    pub pairs: u64,
    /// Under the base condition.
    pub base: f64,
    /// Under the other condition.
    pub other: f64,
}

impl Comparison {
    pub(super) fn new(
        (base, other): (&str, &str),
        target: Option<&SourceId>,
        (before, after): (&[&Episode], &[&Episode]),
        (abilities, k, bootstrap): (&[Ability], u32, Bootstrap),
    ) -> Self {
        let pairs = pair(before.iter().copied(), after.iter().copied());
        // pass^1 is the mean success, which is there already.
        let pass_k = if k > 1 { pairs.pass_hat_clusters(k) } else { Vec::new() };
        Self {
            base: base.to_owned(),
            other: other.to_owned(),
            target: target.cloned(),
            flips: pairs.flips(),
            interval: bootstrap.interval(&pairs.success_clusters()),
            pass_k_difference: cluster_mean(&pass_k),
            pass_k_interval: bootstrap.interval(&pass_k),
            events: abilities.iter().filter_map(|ability| events(ability, before, after)).collect(),
        }
    }
}

fn events(ability: &Ability, before: &[&Episode], after: &[&Episode]) -> Option<AbilityEvents> {
    let of = |episode: &&Episode| episode.ability == *ability;
    let pairs = pair(before.iter().copied().filter(of), after.iter().copied().filter(of));
    let (base, other) = pairs.mean_events()?;
    Some(AbilityEvents { ability: ability.clone(), pairs: pairs.len(), base, other })
}
