//! What happens in a run, outside its banks.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::packet::{Axis, ContrastKind};
use palaestra_domain::{Ability, Digest, FailureClass, FunctionName, Outcome, SourceId, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the serialised events; a reader refuses any other one.
pub const RUN_EVENT_FORMAT: u32 = 2;

/// One event of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum RunEvent {
    /// The run began.
    Started {
        /// [`RUN_EVENT_FORMAT`] of the writer.
        format: u32,
        /// The program's version.
        program: String,
        /// The digest of everything that the result depends on.
        identity: Digest,
        /// What was digested, to show a difference by.
        basis: Value,
        /// The run file, canonical.
        spec: Value,
    },
    /// A recording could not be imported.
    Refused(Refused),
    /// The run was planned.
    Planned {
        /// How many attempts are requested.
        requested: u64,
        /// Tasks that are only measured: id to what the retrieval preview may know of them.
        held_out: BTreeMap<TaskId, HeldOut>,
        /// Functions that the environment declares, with their documentation; empty for recordings.
        declared: BTreeMap<FunctionName, String>,
    },
    /// One attempt is recorded.
    Attempted {
        /// The task.
        task: TaskId,
        /// Its scenario.
        scenario: String,
        /// The bank that it feeds.
        ability: Ability,
        /// Who attempted it.
        source: SourceId,
        /// Which repetition.
        trial: u32,
        /// What became of it.
        outcome: Outcome,
        /// Where the trajectory rests.
        trajectory: Digest,
    },
    /// A task's packet is built.
    PacketBuilt {
        /// The task.
        task: TaskId,
        /// Its scenario.
        scenario: String,
        /// The bank that it feeds.
        ability: Ability,
        /// Where the packet rests.
        packet: Digest,
        /// The kind of contrast.
        contrast: ContrastKind,
        /// The axes that it offers.
        axes: BTreeSet<Axis>,
        /// Where its function observations rest.
        observations: Digest,
    },
    /// A task ended without a result: its attempts stay unresolved.
    GaveUp {
        /// The task.
        task: TaskId,
        /// Its scenario.
        scenario: String,
        /// The bank that it would have fed.
        ability: Ability,
        /// How many attempts each source had.
        attempts: BTreeMap<SourceId, u32>,
        /// Why; none when the run was cancelled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        class: Option<FailureClass>,
    },
    /// All tasks have ended, and what they show of functions is merged.
    PacketsDone {
        /// Where the evidence of all functions rests.
        evidence: Digest,
    },
    /// The bank is frozen and the run is over.
    Finished {
        /// The bank's hash.
        bank: Digest,
    },
}

impl RunEvent {
    /// The task that ended by this event.
    pub(super) fn ended(&self) -> Option<&TaskId> {
        match self {
            Self::PacketBuilt { task, .. } | Self::GaveUp { task, .. } => Some(task),
            _ => None,
        }
    }
}

/// A recording, or one record of it, that could not be imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The file.
    pub file: String,
    /// The record, when it is one.
    pub record: String,
    /// The field, when it is one.
    pub field: String,
    /// What is wrong.
    pub message: String,
}

/// What a retrieval preview may know of a held-out task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The task's text.
    pub text: String,
    /// Its scenario.
    pub scenario: String,
    /// Its bank.
    pub ability: Ability,
}
