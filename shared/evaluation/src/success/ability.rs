//! Success per ability and the unweighted mean over abilities (ContraMem tables 1, 3, A3 and A5).

use std::collections::BTreeMap;

use palaestra_domain::Ability;
use serde::Serialize;

use super::rate::Rate;
use crate::episode::Episode;
use crate::number::mean_of_all;

/// An unweighted mean of rates, with the coverage of everything below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct MacroMean {
    /// The mean, 0 to 1; none when a part has nothing resolved, since a mean over the other parts
    /// would be another measure.
    pub value: Option<f64>,
    /// Attempts that say something about the agent, over all parts.
    pub resolved: u64,
    /// All attempts, over all parts.
    pub requested: u64,
}

/// The success rate of every ability.
pub fn by_ability<'a>(episodes: impl IntoIterator<Item = &'a Episode>) -> BTreeMap<Ability, Rate> {
    let mut rates: BTreeMap<Ability, Rate> = BTreeMap::new();
    for episode in episodes {
        rates.entry(episode.ability.clone()).or_default().count(&episode.outcome);
    }
    rates
}

/// The unweighted mean of rates: each part counts alike, however many tasks it has.
pub fn macro_of_rates(rates: impl IntoIterator<Item = Rate>) -> MacroMean {
    macro_mean(rates.into_iter().map(|rate| MacroMean {
        value: rate.value(),
        resolved: rate.resolved,
        requested: rate.requested,
    }))
}

/// The unweighted mean of means, for example over targets.
pub fn macro_mean(parts: impl IntoIterator<Item = MacroMean>) -> MacroMean {
    let parts: Vec<MacroMean> = parts.into_iter().collect();
    MacroMean {
        value: mean_of_all(parts.iter().map(|part| part.value)),
        resolved: parts.iter().map(|part| part.resolved).sum(),
        requested: parts.iter().map(|part| part.requested).sum(),
    }
}
