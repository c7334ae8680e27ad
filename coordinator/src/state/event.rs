//! What has happened: the only thing that is kept. The state is the fold of these.

use palaestra_domain::{Digest, LimitKey, RunName, Spend, Unit, UnitId, WorkerId};
use serde::{Deserialize, Serialize};

use super::limit::Share;
use super::payer::Payer;
use super::run::{RunSpec, RunStep};
use super::time::Millis;
use super::unit::Step;
use super::worker::Capacity;

/// One thing that has happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A run was accepted; its units follow.
    RunSubmitted {
        /// Its name.
        run: RunName,
        /// What it asks for.
        spec: RunSpec,
        /// How many units follow.
        units: u32,
    },
    /// The next units of a run, in curriculum order.
    UnitsAdded {
        /// The run.
        run: RunName,
        /// Its units.
        units: Vec<Unit>,
    },
    /// What a run may spend, and how it is served, changed; what its result depends on did not.
    RunRevised {
        /// Which.
        run: RunName,
        /// What it asks for from now on.
        spec: RunSpec,
    },
    /// A run changed. That it finished is no event: its last unit ended.
    Run {
        /// Which.
        run: RunName,
        /// How.
        step: RunStep,
    },
    /// A unit changed.
    Unit {
        /// Which.
        unit: UnitId,
        /// How.
        step: Step,
    },
    /// A worker said what it can do.
    WorkerRegistered {
        /// Who.
        worker: WorkerId,
        /// How much at once.
        capacity: Capacity,
        /// When it is given up unless it shows that it is alive.
        until: Millis,
    },
    /// A worker showed that it is alive and works on these.
    WorkerRenewed {
        /// Who.
        worker: WorkerId,
        /// The units whose leases are renewed.
        units: Vec<UnitId>,
        /// Until when, bounded by each unit's deadline.
        until: Millis,
    },
    /// A worker wants no more units.
    WorkerDraining {
        /// Who.
        worker: WorkerId,
    },
    /// A worker was silent for too long.
    WorkerLost {
        /// Who.
        worker: WorkerId,
    },
    /// A call may cost so much.
    CallReserved {
        /// On behalf of.
        payer: Payer,
        /// The call's number within the lease or the term.
        call: u32,
        /// The most that it may cost.
        most: Spend,
    },
    /// A call cost so much: what the provider billed, or nothing when it was not made.
    CallClosed {
        /// On behalf of.
        payer: Payer,
        /// The call's number.
        call: u32,
        /// What it cost.
        used: Spend,
    },
    /// A call has no answer and may have been billed.
    CallLost {
        /// On behalf of.
        payer: Payer,
        /// The call's number.
        call: u32,
    },
    /// A curator took over the run's curation.
    CurationBegan {
        /// The run.
        run: RunName,
        /// The term, one more than the last.
        term: u32,
    },
    /// The run's banks are built and frozen.
    BankFrozen {
        /// The run.
        run: RunName,
        /// The digest of the frozen bank.
        bank: Digest,
    },
    /// Units that rested until then or earlier can be handed out again.
    Rested {
        /// Until when.
        until: Millis,
    },
    /// What a provider allows to all workers together.
    LimitDefined {
        /// Of what.
        key: LimitKey,
        /// How many slots.
        slots: u32,
    },
    /// A worker's share of a limit.
    ShareDealt {
        /// Who.
        worker: WorkerId,
        /// Of what.
        key: LimitKey,
        /// The share.
        share: Share,
    },
    /// A worker's share was returned or ran out.
    ShareEnded {
        /// Who.
        worker: WorkerId,
        /// Of what.
        key: LimitKey,
    },
}
