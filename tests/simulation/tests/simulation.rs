//! Some thousand schedules keep every promise, and every deliberate defect is found and shrunk.

use palaestra_simulation::{Mutation, Schedule, hunt, many};

/// Seeds in the common test run; the long mode goes on from here.
const SEEDS: u64 = 3_000;

#[test]
fn every_promise_is_kept_under_every_seed() {
    let met = many(0..SEEDS).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{met}");
    for (situation, count) in met.rows() {
        assert!(count >= 50, "the seeds met `{situation}` only {count} times: they prove little about it");
    }
}

/// Every defect breaks a seed, and fewer faults are left than the seed began with. The same schedule
/// without the defect passes: it is the defect that was found.
#[test]
fn every_deliberate_defect_is_found_and_shrunk() {
    for mutation in Mutation::ALL {
        let shrunk = hunt(mutation, 0..SEEDS).unwrap_or_else(|failure| panic!("{failure}"));
        println!("{mutation:?}: {shrunk}\n");
        let least = shrunk.least;
        assert!(least.faults.len() < shrunk.found.faults.len(), "{mutation:?} was not shrunk");
        let sound = Schedule { seed: least.seed, faults: least.faults.clone(), mutation: None };
        assert!(sound.run().is_ok(), "seed {} fails without {mutation:?}", least.seed);
        let failing = Schedule { mutation: Some(mutation), ..sound };
        for at in 0..least.faults.len() {
            let mut fewer = failing.clone();
            fewer.faults.remove(at);
            assert!(fewer.run().is_ok(), "{mutation:?} was not shrunk to the least");
        }
    }
}

/// The late result of one slot is refused while another slot of the same process holds the unit.
#[test]
fn a_defect_that_accepts_stale_epochs_is_caught_by_name() {
    let shrunk = hunt(Mutation::AcceptStaleEpochs, 0..400).unwrap();
    assert!(shrunk.least.broken.contains("of another epoch"), "{shrunk}");
    assert!(shrunk.to_string().contains(&format!("--seed {}", shrunk.least.seed)));
}
