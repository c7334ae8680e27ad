//! Events, calls, tokens and money, against ContraMem's tables A2 and A7.

use std::collections::BTreeMap;

use palaestra_domain::NanoUsd;
use palaestra_evaluation::paired::pair;
use palaestra_evaluation::{Efficiency, Episode, RoleSpend};

use super::fixtures::{attempts, episode, one_decimal, passed, spend};

/// 40 attempts that sum to the given events, calls and cents.
fn ability(condition: &str, name: &str, events: u64, calls: u64, cents: u64) -> Vec<Episode> {
    let share = |total: u64, n: u64| total / 40 + u64::from(n < total % 40);
    let one = |(n, one): (u64, Episode)| Episode {
        agent_events: share(events, n),
        roles: BTreeMap::from([(
            "agent".to_owned(),
            spend(share(calls, n), 0, share(cents, n) * NanoUsd::PER_USD / 100),
        )]),
        ..one
    };
    (0..).zip(attempts(condition, "gpt", name, 0, 40)).map(one).collect()
}

#[test]
fn contramem_table_a7_aggregates_over_120_tasks() {
    // Per ability: events per task, calls per task, cost; then the printed aggregate.
    let rows = [
        ([(305, 107, 1898), (495, 95, 1620), (256, 97, 1992)], (35.2, 10.0, 5510)), // AWM
        ([(434, 126, 2385), (934, 98, 1717), (262, 99, 2121)], (54.3, 10.8, 6223)), // ACE
        ([(306, 105, 2671), (391, 89, 1608), (242, 102, 1484)], (31.3, 9.9, 5763)), // ContraMem
    ];
    for (abilities, (events, calls, cents)) in rows {
        let names = ["execution", "search", "ambiguity"];
        let episodes: Vec<Episode> = names
            .iter()
            .zip(abilities)
            .flat_map(|(name, (events, calls, cents))| ability("c", name, events * 4, calls * 4, cents))
            .collect();
        let sums = Efficiency::of(&episodes);
        assert_eq!(sums.episodes, 120);
        assert_eq!(one_decimal(sums.per_episode(sums.agent_events).unwrap()), events);
        // Printed 10.7 and 9.8 for ACE and ContraMem, from unrounded parts: within one digit here.
        assert_eq!(one_decimal(sums.per_episode(sums.total().calls).unwrap()), calls);
        // Printed $62.21 and $57.64, one cent off the printed parts.
        assert_eq!(sums.total().known_cost().unwrap().0 / (NanoUsd::PER_USD / 100), cents);
    }
}

#[test]
fn contramem_table_a2_events_on_pairs() {
    // Mean events per task without and with memory, in tenths, per ability.
    let abilities = [(303, 311), (556, 402), (295, 243), (190, 207), (709, 610)];
    let mut means = Vec::new();
    for (name, (before, after)) in
        ["execution", "search", "ambiguity", "adaptability", "time"].iter().zip(abilities)
    {
        let (before, after) =
            (ability("none", name, before * 4, 0, 0), ability("ours", name, after * 4, 0, 0));
        means.push(pair(&before, &after).mean_events().unwrap());
    }
    let mean = |pick: fn(&(f64, f64)) -> f64| means.iter().map(pick).sum::<f64>() / 5.0;
    let (before, after) = (mean(|m| m.0), mean(|m| m.1));
    assert_eq!((one_decimal(before), one_decimal(after)), (41.1, 35.5));
    assert_eq!(one_decimal(after - before), -5.6);
    assert_eq!(one_decimal((after / before - 1.0) * 100.0), -13.6);
}

#[test]
fn money_without_a_price_is_not_called_free() {
    let one = episode("c", "m", "search", 0, passed(true));
    let unpriced = RoleSpend { cost: None, ..spend(2, 100, 0) };
    let other = Episode {
        roles: BTreeMap::from([("agent".to_owned(), spend(1, 10, 5)), ("judge".to_owned(), unpriced)]),
        ..episode("c", "m", "search", 1, passed(true))
    };
    let sums = Efficiency::of([&one, &other]);
    assert_eq!(sums.roles["agent"].known_cost(), Some(NanoUsd(2_000_005)));
    assert_eq!((sums.roles["judge"].known_cost(), sums.roles["judge"].unpriced), (None, 1));
    assert_eq!((sums.total().known_cost(), sums.total().cost), (None, NanoUsd(2_000_005)));
    assert_eq!((sums.total().calls, sums.total().usage.input), (7, 1_110));
    assert_eq!(Efficiency::default().per_episode(3), None);
}
