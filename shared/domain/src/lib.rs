//! The vocabulary of both papers: what the rest of Palaestra talks about.
//!
//! Plain values with their checks and their stable serialised form. No clock, no randomness, no
//! I/O, no async: everything here is a function of its arguments.

pub mod bank;
pub mod budget;
pub mod canonical;
pub mod card;
pub mod error;
pub mod function_evidence;
pub mod ids;
pub mod outcome;
pub mod packet;
pub mod patch;
pub mod placeholder;
pub mod profile;
pub mod rejection;
pub mod run_file;
pub mod task;
pub mod tool;
pub mod trajectory;
pub mod unit;
pub mod units;

pub use bank::Bank;
pub use budget::{BudgetLimits, Spend};
pub use canonical::Digest;
pub use card::{FunctionCard, SkillBody, SkillCard, SkillDelta, SkillEvidence};
pub use error::DomainError;
pub use function_evidence::FunctionEvidence;
pub use ids::{
    Ability, CardId, ConditionName, FunctionName, RunName, SourceId, TaskId, TenantName, WorkerId,
};
pub use outcome::Outcome;
pub use packet::ContrastPacket;
pub use patch::{CuratorPatch, Operation};
pub use profile::Profile;
pub use rejection::{Rejection, RejectionReason};
pub use task::Task;
pub use trajectory::Trajectory;
pub use unit::{Epoch, FailureClass, Lease, LimitKey, Tally, Unit, UnitId, UnitKind};
pub use units::{NanoUsd, TokenUsage};
