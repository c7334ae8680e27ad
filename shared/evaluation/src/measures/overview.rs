//! All arms, comparisons and null controls of one table of episodes.

use std::collections::BTreeMap;

use palaestra_domain::{Ability, SourceId};
use serde::Serialize;

use super::arm::Arm;
use super::comparison::Comparison;
use crate::episodes::Episodes;
use crate::error::Error;
use crate::intervals::Bootstrap;
use crate::paired::NullControl;
use crate::success::{MacroMean, Rate, macro_mean, macro_of_rates};

/// Every measure, in a fixed order: targets by name; conditions as asked for, the baseline first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measures {
    /// The conditions.
    pub conditions: Vec<String>,
    /// The targets.
    pub targets: Vec<SourceId>,
    /// The abilities.
    pub abilities: Vec<Ability>,
    /// The most repeats that any arm has.
    pub repeats: u64,
    /// The k of every pass^k.
    pub k: u32,
    /// How intervals were resampled.
    pub bootstrap: Bootstrap,
    /// One per target and condition that has episodes.
    pub arms: Vec<Arm>,
    /// Means over targets, one per condition; none for a single target.
    pub target_means: Vec<TargetMean>,
    /// Every condition with every later one, per target, then over all targets.
    pub comparisons: Vec<Comparison>,
    /// Every condition with itself, over its repeats.
    pub controls: Vec<Control>,
}

/// One condition's unweighted mean over targets (the macro rows of tables 1 and 2).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetMean {
    /// The condition.
    pub condition: String,
    /// How many targets have this condition: means over different targets do not compare.
    pub targets: u64,
    /// By ability.
    pub abilities: BTreeMap<Ability, MacroMean>,
    /// The mean of the targets' overall means.
    pub overall: MacroMean,
    /// The mean of the targets' TGC.
    pub tasks: MacroMean,
    /// The mean of the targets' SGC.
    pub scenarios: MacroMean,
}

/// The null control of one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Control {
    /// The condition.
    pub condition: String,
    /// The target, or none for all of them together.
    pub target: Option<SourceId>,
    /// What its repeats say about each other; none where it has a single repeat.
    pub null: Option<NullControl>,
}

impl Measures {
    /// Measures the episodes. `conditions` are in the order to print, the first one the baseline; those
    /// not named follow by name. Without `k`, pass^k takes the number of repeats.
    ///
    /// # Errors
    /// [`Error::UnknownCondition`] when no episode has a named condition; [`Error::OutOfRange`] for k = 0.
    pub fn of(
        episodes: &Episodes,
        conditions: &[String],
        k: Option<u32>,
        bootstrap: Bootstrap,
    ) -> Result<Self, Error> {
        let conditions = ordered(episodes, conditions)?;
        let repeats = episodes.repeats();
        let k = k.unwrap_or(u32::try_from(repeats.max(1)).unwrap_or(u32::MAX));
        if k == 0 {
            return Err(Error::OutOfRange {
                what: "k of pass^k",
                value: k.to_string(),
                rule: "at least 1, at most the number of repeats",
            });
        }
        let mut measures = Self {
            conditions,
            targets: episodes.targets().into_iter().cloned().collect(),
            abilities: episodes.abilities().into_iter().cloned().collect(),
            repeats,
            k,
            bootstrap,
            arms: Vec::new(),
            target_means: Vec::new(),
            comparisons: Vec::new(),
            controls: Vec::new(),
        };
        measures.arms = measures.measure_arms(episodes);
        measures.target_means = measures.measure_target_means();
        measures.comparisons = measures.compare(episodes);
        measures.controls = measures.control(episodes);
        Ok(measures)
    }

    /// The arm of one target under one condition.
    #[must_use]
    pub fn arm(&self, target: &SourceId, condition: &str) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.target == *target && arm.condition == condition)
    }

    fn measure_arms(&self, episodes: &Episodes) -> Vec<Arm> {
        let mut arms = Vec::new();
        for target in &self.targets {
            for condition in &self.conditions {
                let own = episodes.arm(condition, Some(target));
                if !own.is_empty() {
                    arms.push(Arm::new(target, condition, &own, &self.abilities, self.k));
                }
            }
        }
        arms
    }

    fn measure_target_means(&self) -> Vec<TargetMean> {
        if self.targets.len() < 2 {
            return Vec::new();
        }
        let mean = |condition: &String| {
            let arms: Vec<&Arm> = self.arms.iter().filter(|arm| arm.condition == *condition).collect();
            let rates = |rate: &dyn Fn(&Arm) -> Rate| macro_of_rates(arms.iter().map(|arm| rate(arm)));
            let ability = |ability: &Ability| {
                let rate = |arm: &Arm| arm.abilities.get(ability).copied().unwrap_or_default();
                (ability.clone(), rates(&rate))
            };
            TargetMean {
                condition: condition.clone(),
                targets: arms.len() as u64,
                abilities: self.abilities.iter().map(ability).collect(),
                overall: macro_mean(arms.iter().map(|arm| arm.overall)),
                tasks: rates(&|arm| arm.goals.tasks),
                scenarios: rates(&|arm| arm.goals.scenarios),
            }
        };
        self.conditions.iter().map(mean).collect()
    }

    /// Every target, then all of them together.
    fn scopes(&self) -> Vec<Option<&SourceId>> {
        let all = (self.targets.len() > 1).then_some(None);
        self.targets.iter().map(Some).chain(all).collect()
    }

    fn compare(&self, episodes: &Episodes) -> Vec<Comparison> {
        let mut comparisons = Vec::new();
        for (i, base) in self.conditions.iter().enumerate() {
            for other in self.conditions.iter().skip(i + 1) {
                for target in self.scopes() {
                    let sides = (&*episodes.arm(base, target), &*episodes.arm(other, target));
                    let how = (&*self.abilities, self.k, self.bootstrap);
                    comparisons.push(Comparison::new((base, other), target, sides, how));
                }
            }
        }
        comparisons
    }

    fn control(&self, episodes: &Episodes) -> Vec<Control> {
        let mut controls = Vec::new();
        for condition in &self.conditions {
            for target in self.scopes() {
                let null = NullControl::of(episodes.arm(condition, target));
                controls.push(Control { condition: condition.clone(), target: target.cloned(), null });
            }
        }
        controls
    }
}

/// The named conditions in their order, then the others by name.
fn ordered(episodes: &Episodes, named: &[String]) -> Result<Vec<String>, Error> {
    let known = episodes.conditions();
    if let Some(unknown) = named.iter().find(|condition| !known.contains(condition.as_str())) {
        let known: Vec<&str> = known.into_iter().collect();
        return Err(Error::UnknownCondition { condition: unknown.clone(), known: known.join(", ") });
    }
    let mut order: Vec<String> = Vec::new();
    for condition in named.iter().map(String::as_str).chain(known) {
        if !order.iter().any(|placed| placed == condition) {
            order.push(condition.to_owned());
        }
    }
    Ok(order)
}
