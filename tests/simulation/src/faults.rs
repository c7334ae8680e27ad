//! What can go wrong, when, and for how long.

use std::fmt;

use crate::prng::Prng;
use crate::workload::Workload;

/// Faults begin before this, in milliseconds.
const LAST_BEGIN: u64 = 100_000;

/// One kind of trouble. Times are milliseconds, workers and slots are numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// So many of a hundred messages vanish.
    Loss(u64),
    /// So many of a hundred messages arrive twice, the second time much later.
    Duplication(u64),
    /// Messages take up to so long, and overtake each other.
    Delay(u64),
    /// Nothing that a worker sends arrives.
    CutUp(usize),
    /// Nothing that is sent to a worker arrives.
    CutDown(usize),
    /// A worker process stands still and then goes on as if nothing had been.
    PauseWorker(usize),
    /// A worker process dies and another starts in its place.
    CrashWorker(usize),
    /// A worker hands back what it holds and ends; another starts in its place.
    DrainWorker(usize),
    /// One slot of a worker hangs with its next unit while the process lives, and brings the result
    /// late.
    HangSlot(usize, usize),
    /// The curation of every run is begun anew in the leader's process, and the old one goes on with
    /// its call.
    RestartCuration,
    /// The leader dies between two steps.
    CrashLeader,
    /// The leader stands still, another takes over, and then the old one goes on.
    ZombieLeader,
    /// The next append fails before it is done, and the leader is gone for a while.
    AppendRefused,
    /// The next append is done, nobody learns of it, and the leader is gone for a while.
    AppendUnanswered,
    /// The next snapshot is torn.
    TornSnapshot,
}

/// A fault at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// When it begins, in milliseconds.
    pub at: u64,
    /// How long it lasts, in milliseconds; of no meaning for a moment's fault.
    pub lasts: u64,
    /// What.
    pub fault: Fault,
}

impl Planned {
    /// When it is over.
    #[must_use]
    pub fn end(self) -> u64 {
        self.at.saturating_add(self.lasts)
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7} ms  {:?} for {} ms", self.at, self.fault, self.lasts)
    }
}

/// The faults of a seed.
pub fn draw(seed: u64, workload: &Workload) -> Vec<Planned> {
    let mut prng = Prng::new(seed, 2);
    let count = prng.between(2, 14);
    let mut faults: Vec<Planned> = (0..count).map(|_| one(&mut prng, workload)).collect();
    faults.sort_by_key(|planned| planned.at);
    faults
}

fn one(prng: &mut Prng, workload: &Workload) -> Planned {
    let workers = u64::try_from(workload.workers.len()).unwrap_or(1);
    let worker = usize::try_from(prng.between(0, workers.saturating_sub(1))).unwrap_or(0);
    let slots = workload.workers.get(worker).map_or(1, |worker| worker.slots.len());
    let slot = usize::try_from(prng.between(0, u64::try_from(slots).unwrap_or(1).saturating_sub(1)));
    let fault = match prng.between(0, 22) {
        0 => Fault::Loss(prng.between(5, 60)),
        1 => Fault::Duplication(prng.between(10, 80)),
        2 => Fault::Delay(prng.between(500, 60_000)),
        3 => Fault::CutUp(worker),
        4 => Fault::CutDown(worker),
        5 | 6 => Fault::PauseWorker(worker),
        7 => Fault::CrashWorker(worker),
        8 => Fault::DrainWorker(worker),
        9..=13 => Fault::HangSlot(worker, slot.unwrap_or(0)),
        14 => Fault::CrashLeader,
        15 => Fault::ZombieLeader,
        16 => Fault::AppendRefused,
        17 | 18 => Fault::AppendUnanswered,
        19..=21 => Fault::RestartCuration,
        _ => Fault::TornSnapshot,
    };
    let lasts = match fault {
        // Long enough for another slot to have the unit by then, and to be working on it still.
        Fault::HangSlot(..) => prng.between(25_000, 50_000),
        // Half of the others outlive a lease.
        _ if prng.percent(50) => prng.between(35_000, 90_000),
        _ => prng.between(500, 30_000),
    };
    Planned { at: prng.between(0, LAST_BEGIN), lasts, fault }
}
