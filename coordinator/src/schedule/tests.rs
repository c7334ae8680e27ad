//! Post-conditions of the solver, on random queues.

use palaestra_domain::run_file::spec::EnvironmentName::{Recorded, Workshop};
use proptest::prelude::*;

use super::*;

type Room = BTreeMap<EnvironmentName, u32>;

fn environment() -> impl Strategy<Value = EnvironmentName> {
    prop_oneof![Just(Workshop), Just(Recorded)]
}

fn queues() -> impl Strategy<Value = Vec<Queue>> {
    let units = prop::collection::btree_map(0..200_u32, environment(), 0..12);
    let queue = (1..2_000_u32, 0..4 * STRIDE, units);
    prop::collection::vec(queue, 0..6).prop_map(|queues| {
        let numbered = (0..).zip(queues);
        numbered
            .map(|(number, (weight, pass, units))| {
                let waiting =
                    units.into_iter().map(|(place, environment)| Waiting { place, environment }).collect();
                Queue { number, weight, pass, waiting }
            })
            .collect()
    })
}

fn room() -> impl Strategy<Value = Room> {
    (0..5_u32, 0..5_u32).prop_map(|(a, b)| Room::from([(Workshop, a), (Recorded, b)]))
}

fn environment_of(queues: &[Queue], pick: Pick) -> EnvironmentName {
    let queue = queues.iter().find(|queue| queue.number == pick.number).unwrap();
    queue.waiting.iter().find(|unit| unit.place == pick.place).unwrap().environment
}

fn per_environment(queues: &[Queue], picks: &[Pick]) -> Room {
    let mut used = Room::new();
    for pick in picks {
        *used.entry(environment_of(queues, *pick)).or_default() += 1;
    }
    used
}

proptest! {
    #[test]
    fn no_environment_gets_more_than_its_room(most in 0..9_u32, room in room(), queues in queues()) {
        let picks = pick(most, &room, 0, queues.clone());
        prop_assert!(picks.len() <= most as usize);
        for (environment, used) in per_environment(&queues, &picks) {
            prop_assert!(used <= room[&environment]);
        }
        let mut once = picks.clone();
        once.sort_by_key(|pick| (pick.number, pick.place));
        once.dedup();
        prop_assert_eq!(once.len(), picks.len(), "a unit was picked twice");
    }

    #[test]
    fn no_room_stays_empty_while_a_unit_could_use_it(most in 0..9_u32, room in room(), queues in queues()) {
        let picks = pick(most, &room, 0, queues.clone());
        let used = per_environment(&queues, &picks);
        if picks.len() < most as usize {
            for queue in &queues {
                for unit in &queue.waiting {
                    let taken = picks.contains(&Pick { number: queue.number, place: unit.place });
                    let full = used.get(&unit.environment).copied().unwrap_or(0) == room[&unit.environment];
                    prop_assert!(taken || full, "{unit:?} was left though there is room");
                }
            }
        }
    }

    #[test]
    fn within_a_run_and_an_environment_the_oldest_come_first(
        most in 0..9_u32, room in room(), queues in queues(),
    ) {
        let picks = pick(most, &room, 0, queues.clone());
        for queue in &queues {
            for environment in [Workshop, Recorded] {
                let all: Vec<u32> = queue.waiting.iter()
                    .filter(|unit| unit.environment == environment).map(|unit| unit.place).collect();
                let taken: Vec<u32> = picks.iter()
                    .filter(|pick| pick.number == queue.number && environment_of(&queues, **pick) == environment)
                    .map(|pick| pick.place).collect();
                prop_assert_eq!(&all[..taken.len()], &taken[..]);
            }
        }
    }

    #[test]
    fn the_order_in_which_runs_are_named_changes_nothing(
        most in 0..9_u32, room in room(), queues in queues(), turn in 0..6_usize,
    ) {
        let mut turned = queues.clone();
        let by = turn.min(turned.len());
        turned.rotate_left(by);
        let mut reversed = queues.clone();
        reversed.reverse();
        let picks = pick(most, &room, STRIDE, queues);
        prop_assert_eq!(&pick(most, &room, STRIDE, turned), &picks);
        prop_assert_eq!(&pick(most, &room, STRIDE, reversed), &picks);
    }

    /// Whatever the passes were, between two services of a run no other run is served more often
    /// than the quotient of the weights allows.
    #[test]
    fn the_wait_of_a_run_is_bounded_by_the_weights(
        runs in prop::collection::vec((1..50_u32, 0..4 * STRIDE), 2..6), served in 0..2 * STRIDE,
    ) {
        let mut served = served;
        let mut passes: Vec<u64> = runs.iter().map(|(_, pass)| *pass).collect();
        let mut order = Vec::new();
        for _ in 0..2_000 {
            let queues = (0..).zip(&runs).zip(&passes).map(|((number, (weight, _)), pass)| Queue {
                number, weight: *weight, pass: *pass, waiting: vec![Waiting { place: 0, environment: Workshop }],
            }).collect();
            let number = pick(1, &Room::from([(Workshop, 1)]), served, queues)[0].number as usize;
            serve(&mut served, &mut passes[number], runs[number].0);
            order.push(number);
        }
        // Passes that lay apart at the start are level once everybody was served.
        let settled = (0..runs.len()).filter_map(|run| order.iter().position(|at| *at == run)).max().unwrap();
        for run in 0..runs.len() {
            let mut others = vec![0_u32; runs.len()];
            for at in &order[settled..] {
                if *at == run {
                    others.fill(0);
                } else {
                    others[*at] += 1;
                    let bound = runs[*at].0.div_ceil(runs[run].0) + 1;
                    prop_assert!(others[*at] <= bound, "run {run} waited while {at} had {} units", others[*at]);
                }
            }
        }
    }
}

#[test]
fn weights_are_shares() {
    let (mut served, mut passes) = (0, [0, 0]);
    let mut counts = [0, 0];
    for _ in 0..400 {
        let queues = [1_u32, 3].iter().zip(0..).zip(passes).map(|((weight, number), pass)| Queue {
            number,
            weight: *weight,
            pass,
            waiting: vec![Waiting { place: 0, environment: Workshop }],
        });
        let number = pick(1, &Room::from([(Workshop, 1)]), served, queues.collect())[0].number as usize;
        serve(&mut served, &mut passes[number], [1, 3][number]);
        counts[number] += 1;
    }
    assert_eq!(counts, [100, 300]);
}

#[test]
fn a_run_that_was_away_has_no_credit() {
    let waiting = || (0..20).map(|place| Waiting { place, environment: Workshop }).collect();
    let back = Queue { number: 0, weight: 1, pass: 0, waiting: waiting() };
    let busy = Queue { number: 1, weight: 1, pass: 101 * STRIDE, waiting: waiting() };
    let picks = pick(20, &Room::from([(Workshop, 20)]), 100 * STRIDE, vec![back, busy]);
    let of_the_busy = picks.iter().filter(|pick| pick.number == 1).count();
    assert!((9..=10).contains(&of_the_busy), "the run that came back took more than its share: {picks:?}");
}
