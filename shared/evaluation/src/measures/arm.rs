//! One target under one condition.

use std::collections::BTreeMap;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Ability, Outcome, SourceId, Tally};
use serde::Serialize;

use crate::efficiency::Efficiency;
use crate::episode::Episode;
use crate::success::{
    Estimate, GoalCompletion, MacroMean, Rate, by_ability, goal_completion, macro_of_rates, msr, pass_hat_k,
};

/// All measures of one target under one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Arm {
    /// The target.
    pub target: SourceId,
    /// The condition.
    pub condition: String,
    /// Attempts by outcome.
    pub tally: Tally,
    /// Unresolved attempts by class.
    pub unresolved: BTreeMap<UnresolvedClass, u64>,
    /// All attempts as one rate.
    pub rate: Rate,
    /// The rate of every ability of the table, those included that this arm never attempted.
    pub abilities: BTreeMap<Ability, Rate>,
    /// The unweighted mean over abilities.
    pub overall: MacroMean,
    /// TGC and SGC.
    pub goals: GoalCompletion,
    /// The mean over repeats.
    pub msr: Option<Estimate>,
    /// pass^k, for the table's k.
    pub pass_k: Option<Estimate>,
    /// Sums over resolved attempts, by ability.
    pub efficiency: BTreeMap<Ability, Efficiency>,
    /// Sums over resolved attempts.
    pub resolved: Efficiency,
    /// Sums over all attempts: what was paid, whatever came of it.
    pub paid: Efficiency,
}

impl Arm {
    pub(super) fn new(
        target: &SourceId,
        condition: &str,
        episodes: &[&Episode],
        abilities: &[Ability],
        k: u32,
    ) -> Self {
        let resolved: Vec<&Episode> = episodes.iter().copied().filter(|e| e.outcome.resolved()).collect();
        let of = |ability: &Ability| {
            let episodes = resolved.iter().copied().filter(|e| e.ability == *ability);
            (ability.clone(), Efficiency::of(episodes))
        };
        let mut rates = by_ability(episodes.iter().copied());
        for ability in abilities {
            rates.entry(ability.clone()).or_default();
        }
        let mut tally = Tally::default();
        episodes.iter().for_each(|episode| tally.count(&episode.outcome));
        Self {
            target: target.clone(),
            condition: condition.to_owned(),
            tally,
            unresolved: unresolved(episodes),
            rate: Rate::of(episodes.iter().copied()),
            overall: macro_of_rates(rates.values().copied()),
            abilities: rates,
            goals: goal_completion(episodes.iter().copied()),
            msr: msr(episodes.iter().copied()),
            pass_k: pass_hat_k(episodes.iter().copied(), k),
            efficiency: abilities.iter().map(of).collect(),
            resolved: Efficiency::of(resolved.iter().copied()),
            paid: Efficiency::of(episodes.iter().copied()),
        }
    }
}

fn unresolved(episodes: &[&Episode]) -> BTreeMap<UnresolvedClass, u64> {
    let mut classes = BTreeMap::new();
    for episode in episodes {
        if let Outcome::Unresolved { class, .. } = episode.outcome {
            *classes.entry(class).or_default() += 1;
        }
    }
    classes
}
