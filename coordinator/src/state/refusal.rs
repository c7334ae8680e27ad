//! Why a command is not done. A refusal changes nothing.

use palaestra_domain::{
    BudgetLimits, Epoch, FailureClass, Lease, LimitKey, RunName, Spend, UnitId, WorkerId,
};

use super::payer::Payer;

/// Why a command is not done, and what its sender does about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No such run.
    #[error("there is no run {run}; submit it first")]
    UnknownRun {
        /// The run.
        run: RunName,
    },
    /// The name is taken by a run that is another one.
    #[error("there is a run {run} already, and it is another one; choose another name")]
    RunExists {
        /// The run.
        run: RunName,
    },
    /// The run cannot be what it says.
    #[error("run {run} cannot be accepted: {problem}")]
    BadRun {
        /// The run.
        run: RunName,
        /// What is wrong.
        problem: &'static str,
    },
    /// The run is over.
    #[error("run {run} is over and stays as it is")]
    RunOver {
        /// The run.
        run: RunName,
    },
    /// The run has units that have not ended.
    #[error("run {run} still has open units; freeze its bank when all have ended")]
    RunOpen {
        /// The run.
        run: RunName,
    },
    /// Another curator has taken over.
    #[error("term {term} of the curation of {run} is over, term {current} has begun; drop the work")]
    StaleTerm {
        /// The run.
        run: RunName,
        /// The term of the message.
        term: u32,
        /// The present term; 0 when none ever began.
        current: u32,
    },
    /// The run has no such unit.
    #[error("there is no unit {unit}")]
    UnknownUnit {
        /// The unit.
        unit: UnitId,
    },
    /// The worker is not registered, or was silent for too long.
    #[error("worker {worker} is not registered; register it again")]
    UnknownWorker {
        /// The worker.
        worker: WorkerId,
    },
    /// The unit has been taken back since.
    #[error("the lease of {lease} is over, the unit is at epoch {}; drop the work", current.0)]
    Stale {
        /// The lease of the message.
        lease: Lease,
        /// The unit's epoch.
        current: Epoch,
    },
    /// The unit was never handed out at this epoch.
    #[error("nobody holds {lease}; drop the work")]
    NotLeased {
        /// The lease of the message.
        lease: Lease,
    },
    /// The unit has its result, or will have none.
    #[error("unit {} has ended already; drop the work", lease.unit)]
    Ended {
        /// The lease of the message.
        lease: Lease,
    },
    /// A result does not account for every attempt.
    #[error(
        "the result of {lease} counts {counted} attempts, and {planned} were planned; count every attempt once"
    )]
    WrongTally {
        /// The lease.
        lease: Lease,
        /// What it counts.
        counted: u32,
        /// What was planned.
        planned: u32,
    },
    /// The call can never be paid.
    #[error(
        "a call that may cost {need:?} does not fit: {spent:?} of {limits:?} is spent; fail the unit as {:?}",
        FailureClass::Budget
    )]
    BudgetExhausted {
        /// What it may cost.
        need: Spend,
        /// What is spent.
        spent: Spend,
        /// What may be spent.
        limits: BudgetLimits,
    },
    /// The call can be paid only if others cost less than they may.
    #[error("a call that may cost {need:?} must wait until calls that hold {held:?} are settled; ask again")]
    BudgetHeld {
        /// What it may cost.
        need: Spend,
        /// What others hold.
        held: Spend,
    },
    /// The call was never reserved under this lease or term.
    #[error("call {call} of {payer} holds nothing; reserve before calling")]
    UnknownCall {
        /// The lease or the term.
        payer: Payer,
        /// The call.
        call: u32,
    },
    /// The call's number was used before.
    #[error(
        "call {call} of {payer} was reserved before, for another amount or settled already; number calls once"
    )]
    CallUsed {
        /// The lease or the term.
        payer: Payer,
        /// The call.
        call: u32,
    },
    /// No limit is defined.
    #[error("there is no limit for {} at {}; define it first", key.model, key.provider)]
    UnknownLimit {
        /// What it is the limit of.
        key: LimitKey,
    },
}
