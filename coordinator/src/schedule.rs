//! Who gets the next units: a pure solver over plain numbers.
//!
//! Fair over runs by weight, within the room of the worker that asks, oldest first within a run. It
//! is start-time fair queueing: each run has a *pass*, the virtual time up to which it has been
//! served, and the run with the smallest pass is next. A unit moves its run's pass forward by a
//! stride that is the smaller the larger the weight. A run that could not use its turns keeps no
//! credit for them, so nobody is starved by a run that comes back.

use std::collections::BTreeMap;

use palaestra_domain::run_file::spec::EnvironmentName;

/// The stride of weight 1. Passes last for 2³² units of weight 1.
const STRIDE: u64 = 1 << 32;

/// A unit that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    /// Its place in the run; smaller is older.
    pub place: u32,
    /// Where it can be done.
    pub environment: EnvironmentName,
}

/// A run with the units that it has to offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// The run's number; breaks ties, smaller first.
    pub number: u64,
    /// Its weight, at least 1.
    pub weight: u32,
    /// Up to when it has been served.
    pub pass: u64,
    /// Its waiting units: at least the oldest `most` of every environment with room, oldest first.
    pub waiting: Vec<Waiting>,
}

/// One decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// The run's number.
    pub number: u64,
    /// The unit's place in the run.
    pub place: u32,
}

/// Picks at most `most` units for a worker with so much room, in the order in which they are to be
/// served. `served` is the scheduler's virtual time.
#[must_use]
pub fn pick(
    most: u32,
    room: &BTreeMap<EnvironmentName, u32>,
    mut served: u64,
    mut queues: Vec<Queue>,
) -> Vec<Pick> {
    let mut room = room.clone();
    let mut picks = Vec::new();
    for _ in 0..most {
        let offers = queues.iter_mut().filter_map(|queue| {
            let has_room = |unit: &Waiting| room.get(&unit.environment).is_some_and(|free| *free > 0);
            let at = queue.waiting.iter().position(has_room)?;
            Some((queue, at))
        });
        let next = offers.min_by_key(|(queue, _)| (start(served, queue.pass), queue.number));
        let Some((queue, at)) = next else { break };
        let unit = queue.waiting.remove(at);
        if let Some(free) = room.get_mut(&unit.environment) {
            *free = free.saturating_sub(1);
        }
        serve(&mut served, &mut queue.pass, queue.weight);
        picks.push(Pick { number: queue.number, place: unit.place });
    }
    picks
}

/// Accounts for one unit of a run: moves the virtual time and the run's pass.
pub fn serve(served: &mut u64, pass: &mut u64, weight: u32) {
    *served = start(*served, *pass);
    *pass = served.saturating_add(STRIDE / u64::from(weight.max(1)));
}

/// When a run's next unit starts in virtual time: not before now, whatever it missed.
fn start(served: u64, pass: u64) -> u64 {
    pass.max(served)
}

#[cfg(test)]
mod tests;
