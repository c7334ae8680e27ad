//! Episodes to measure.

use std::collections::BTreeMap;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Ability, NanoUsd, Outcome, SourceId, TaskId, TokenUsage};
use palaestra_evaluation::{Episode, RoleSpend};

pub fn passed(passed: bool) -> Outcome {
    Outcome::Scored { passed, reward: f64::from(u8::from(passed)) }
}

pub fn unresolved() -> Outcome {
    Outcome::Unresolved { class: UnresolvedClass::Infrastructure, reason: "the container died".to_owned() }
}

/// One attempt at `ability/number`, whose scenario is its task.
pub fn episode(condition: &str, target: &str, ability: &str, number: u32, outcome: Outcome) -> Episode {
    let task = format!("{ability}/{number}");
    Episode {
        condition: condition.to_owned(),
        target: SourceId::new(target).unwrap(),
        task: TaskId::new(&task).unwrap(),
        scenario: task,
        ability: Ability::new(ability).unwrap(),
        repeat: 0,
        seed: 7,
        outcome,
        agent_events: 10,
        writes: 1,
        memory_tokens: 0,
        roles: BTreeMap::from([("agent".to_owned(), spend(4, 1_000, 2_000_000))]),
    }
}

pub fn spend(calls: u64, input: u64, nano_usd: u64) -> RoleSpend {
    RoleSpend {
        calls,
        usage: TokenUsage { input, cached_input: input / 2, output: input / 10, ..TokenUsage::default() },
        cost: Some(NanoUsd(nano_usd)),
    }
}

/// `tasks` attempts of which the first `passes` passed.
pub fn attempts(condition: &str, target: &str, ability: &str, passes: u32, tasks: u32) -> Vec<Episode> {
    (0..tasks).map(|n| episode(condition, target, ability, n, passed(n < passes))).collect()
}

/// Attempts at the same task, one per repeat, of which the first `passes` passed.
pub fn repeats(condition: &str, number: u32, passes: u32, repeats: u32) -> Vec<Episode> {
    let one = |repeat| Episode {
        repeat,
        seed: u64::from(repeat),
        ..episode(condition, "m", "retail", number, passed(repeat < passes))
    };
    (0..repeats).map(one).collect()
}

/// A fraction as the papers print it.
pub fn percent(fraction: f64) -> f64 {
    one_decimal(fraction * 100.0)
}

pub fn one_decimal(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
