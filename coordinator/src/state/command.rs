//! What the coordinator can be asked to do. Every command may arrive twice, late, or out of order.

use palaestra_domain::{Digest, FailureClass, Lease, LimitKey, RunName, Spend, Tally, Unit, WorkerId};

use super::payer::Payer;
use super::run::RunSpec;
use super::worker::Capacity;

/// What the coordinator is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A client hands in a run.
    Submit {
        /// Its name.
        run: RunName,
        /// What it asks for.
        spec: RunSpec,
        /// Its units, in curriculum order.
        units: Vec<Unit>,
    },
    /// Hand out no more units of a run.
    Pause {
        /// Which.
        run: RunName,
    },
    /// Hand out units of a paused run again.
    Resume {
        /// Which.
        run: RunName,
    },
    /// Give up a run.
    Cancel {
        /// Which.
        run: RunName,
    },
    /// A worker process says what it can do.
    Register {
        /// Who.
        worker: WorkerId,
        /// How much at once.
        capacity: Capacity,
    },
    /// A worker is alive and works on these.
    Heartbeat {
        /// Who.
        worker: WorkerId,
        /// What it works on. A lease that it never learnt of is not among them and expires.
        held: Vec<Lease>,
    },
    /// A worker's process is gone, and another one may have its name.
    Forget {
        /// Who.
        worker: WorkerId,
    },
    /// A worker wants no more units.
    Drain {
        /// Who.
        worker: WorkerId,
    },
    /// A worker has room.
    RequestUnits {
        /// Who.
        worker: WorkerId,
        /// For how many.
        most: u32,
    },
    /// A unit's result.
    Result {
        /// The right to bring it.
        lease: Lease,
        /// The address of the result.
        result: Digest,
        /// Its attempts by outcome, each once.
        tally: Tally,
    },
    /// A unit came to nothing. A worker that drains gives units back as a preemption.
    Fail {
        /// The right to say so.
        lease: Lease,
        /// Why.
        class: FailureClass,
    },
    /// A call is about to be made; nothing is sent before this is granted.
    Reserve {
        /// On behalf of.
        payer: Payer,
        /// The call's number within the lease or the term, never used again.
        call: u32,
        /// The most that it may cost.
        most: Spend,
    },
    /// A call was answered, and the answer is durable.
    Settle {
        /// On behalf of.
        payer: Payer,
        /// The call's number.
        call: u32,
        /// What it cost.
        used: Spend,
    },
    /// A call was not made, or surely not billed.
    Release {
        /// On behalf of.
        payer: Payer,
        /// The call's number.
        call: u32,
    },
    /// A call has no answer and may have been billed: all that it holds counts as spent.
    Lost {
        /// On behalf of.
        payer: Payer,
        /// The call's number.
        call: u32,
    },
    /// A curator takes over a run's curation, whoever had it before. What the earlier term still
    /// holds counts as spent. Asked twice it is two terms, and the later one counts.
    BeginCuration {
        /// Which run.
        run: RunName,
    },
    /// The banks of a finished run are built and frozen.
    Freeze {
        /// Which run.
        run: RunName,
        /// The curator's term.
        term: u32,
        /// The digest of the frozen bank.
        bank: Digest,
    },
    /// Somebody says what a provider allows.
    DefineLimit {
        /// Of what.
        key: LimitKey,
        /// How many slots all workers share.
        slots: u32,
        /// The worker that says so; its own share does not stand against it.
        by: Option<WorkerId>,
    },
    /// A worker would use a part of a limit, or goes on using it.
    ///
    /// A worker obeys the newest grant that it has seen, and never an older one that arrives late. A
    /// share lasts as long as its answer says, counted from when the worker asked; after that, the
    /// worker uses nothing until it has asked again. After a return it has seen 0.
    RequestShare {
        /// Who.
        worker: WorkerId,
        /// Of what.
        key: LimitKey,
        /// How many slots.
        want: u32,
        /// The number of the newest grant that the worker obeys; 0 when it uses nothing.
        seen: u64,
    },
    /// A worker uses its share no longer.
    ReturnShare {
        /// Who.
        worker: WorkerId,
        /// Of what.
        key: LimitKey,
        /// The grant that it obeyed.
        grant: u64,
    },
    /// Time has passed: end what has run out.
    Tick,
}
