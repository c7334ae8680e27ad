//! The contrast packet P_i: one task's attempts side by side (§3.1, appendix B.4).
//!
//! A packet has two halves. [`PacketIdentity`] says which task and which sources it is about and
//! never reaches a construction model; [`PacketView`] is what a model sees, with task-specific
//! values replaced by numbered placeholders and sources by aliases.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{Ability, FunctionName, SourceId, TaskId};
use crate::task::TaskSignature;
use crate::tool::Effect;

/// Which task and which attempts a packet is about; never shown to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketIdentity {
    /// The task.
    pub task: TaskId,
    /// The task's scenario, for leakage checks.
    pub scenario: String,
    /// The bank that the packet feeds.
    pub ability: Ability,
    /// Alias (`run_a`, `run_b`, ...) to source and trial.
    pub runs: BTreeMap<String, RunIdentity>,
}

/// Who stands behind an alias.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// The source.
    pub source: SourceId,
    /// Its trial.
    pub trial: u32,
}

/// A supervision axis that a packet offers (§3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Some passed and some failed.
    Correctness,
    /// Passing runs differ in length or redundancy.
    Efficiency,
    /// A run met an error and passed all the same.
    Recovery,
    /// Everybody failed.
    SharedFailure,
}

/// The kind of contrast that a packet's outcomes make; exactly one per packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContrastKind {
    /// Some passed and some failed.
    Disagreement,
    /// All passed.
    AllPassed,
    /// All failed.
    AllFailed,
    /// Nothing resolved.
    NoEvidence,
}

/// What a construction model sees of one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacketView {
    /// The task family.
    pub ability: Ability,
    /// The deterministic signature.
    pub task_signature: TaskSignature,
    /// The task's text, de-identified.
    pub task_text: String,
    /// The kind of contrast.
    pub contrast: ContrastKind,
    /// The axes that the packet offers.
    pub axes: BTreeSet<Axis>,
    /// The attempts, passing ones first, then by alias.
    pub runs: Vec<RunView>,
    /// What separates them.
    pub differences: Vec<Difference>,
}

/// One attempt, de-identified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// `run_a`, `run_b`, ...
    pub alias: String,
    /// `passed`, `failed` or `no_result`.
    pub outcome: String,
    /// Ordered action spans.
    pub spans: Vec<Span>,
    /// State-changing calls, in order.
    pub writes: Vec<WriteSummary>,
    /// The last words to the user.
    pub final_response: Option<String>,
    /// The verifier's remarks, normalized to short labels.
    pub feedback: Vec<String>,
    /// Events of the agent: calls and messages.
    pub agent_events: usize,
    /// Calls that failed.
    pub errors: usize,
}

/// Consecutive actions of one kind, or what the agent was told meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// What the actions do.
    pub kind: SpanKind,
    /// The actions.
    pub actions: Vec<Action>,
}

/// The kind of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Looking at the world.
    Read,
    /// Changing it.
    Write,
    /// Letting time pass.
    Wait,
    /// Ending the task.
    Finalize,
    /// Talking to the user.
    Say,
    /// What the user said: no action of the agent's, but what it had to go by.
    Hear,
    /// News from the environment that nobody asked for.
    Notice,
}

impl SpanKind {
    /// Whether the agent itself did this.
    #[must_use]
    pub fn is_agents(self) -> bool {
        !matches!(self, Self::Hear | Self::Notice)
    }
}

impl From<Effect> for SpanKind {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Read => Self::Read,
            Effect::Write => Self::Write,
            Effect::Wait => Self::Wait,
            Effect::Finalize => Self::Finalize,
        }
    }
}

/// One action of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// Position in the trajectory.
    pub position: usize,
    /// The function, none for words to the user.
    pub function: Option<FunctionName>,
    /// Normalized arguments: key to de-identified value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// A compact summary of what came back, or the words that were said.
    pub summary: String,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub error: bool,
    /// Whether the call returned nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub empty: bool,
    /// Whether the environment does not have this function.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unknown: bool,
    /// Whether the same call with the same arguments stood earlier in the run, with no write between.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repeated: bool,
    /// Whether the words ask the user something.
    #[serde(default, skip_serializing_if = "is_false")]
    pub asks: bool,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// A state-changing call, for the write summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteSummary {
    /// The function.
    pub function: FunctionName,
    /// Its normalized arguments.
    pub arguments: BTreeMap<String, String>,
    /// Whether it failed.
    pub error: bool,
}

/// How many runs of a group show something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// Runs that show it.
    pub with: usize,
    /// Runs in the group.
    pub of: usize,
}

/// What kind of difference separates the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A write that passing runs made and failing ones did not.
    MissingWrite,
    /// A write that failing runs made and passing ones did not.
    ExtraWrite,
    /// The same write with another value.
    WriteArgument,
    /// The same write another number of times.
    WriteCount,
    /// Two writes in another order.
    WriteOrder,
    /// A read that passing runs made before a write.
    ReadBeforeWrite,
    /// A listing that passing runs followed to its end.
    PagingToEnd,
    /// The same read again and again.
    RepeatedReads,
    /// What a passing run did after an error.
    RecoveryAfterError,
    /// A question to the user where others guessed.
    AskedBeforeWrite,
    /// Where the runs stopped.
    StoppingPoint,
    /// A write that most failing runs made when nobody passed, or a call they all repeated.
    SharedFailure,
    /// An error that most failing runs met when nobody passed.
    SharedError,
}

/// One observable difference between the attempts at one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What kind of difference.
    pub kind: DifferenceKind,
    /// The functions involved; for an order, first then second.
    pub functions: Vec<FunctionName>,
    /// The argument key at issue, for [`DifferenceKind::WriteArgument`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// Whether the passing side does more of it (calls the function, calls it more often, ends with
    /// it) rather than less.
    pub more: bool,
    /// Passing runs that show the passing side's behaviour.
    pub passing: Support,
    /// Failing runs that show the passing side's behaviour.
    pub failing: Support,
    /// One sentence for people and models.
    pub detail: String,
}

/// A packet: identity and view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContrastPacket {
    /// Which task and sources.
    pub identity: PacketIdentity,
    /// What a model sees.
    pub view: PacketView,
}
