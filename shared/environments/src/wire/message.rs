//! The protocol's messages, version 1, as they stand on the wire. A snapshot test fixes their form.

use std::fmt;

use palaestra_domain::task::Split;
use palaestra_domain::tool::Effect;
use palaestra_domain::{Ability, FunctionName, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::asked::AskBack;
use crate::contract::{InnerCall, UserPart};

/// The protocol's name in a hello.
pub(super) const PROTOCOL: &str = "palaestra-environment";

/// The version that is spoken here.
pub(super) const VERSION: u32 = 1;

/// One request. `act` is the call's own id, beside the request's.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Operation<'a> {
    Describe,
    Tasks { split: Split, instances: u32, seed: u64 },
    Reset { task: &'a str, seed: u64 },
    Act { act: &'a str, function: &'a str, arguments: &'a Map<String, Value> },
    Remark { text: &'a str },
    Say { text: &'a str },
    Hash,
    Finish { text: &'a str },
    Verify,
    Close,
}

impl Operation<'_> {
    /// The step in words, for errors.
    pub(super) fn step(&self) -> &'static str {
        match self {
            Self::Describe => "describe itself",
            Self::Tasks { .. } => "list its tasks",
            Self::Reset { .. } => "reset",
            Self::Act { .. } => "act",
            Self::Remark { .. } => "hear a remark",
            Self::Say { .. } => "hear the agent and answer",
            Self::Hash => "hash its state",
            Self::Finish { .. } => "finish",
            Self::Verify => "verify",
            Self::Close => "close",
        }
    }
}

/// A line from here: a request, or the answer to a question.
#[derive(Debug, Serialize)]
pub(super) struct Outgoing<'a> {
    pub id: u64,
    #[serde(flatten)]
    pub body: OutgoingBody<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum OutgoingBody<'a> {
    Request(&'a Operation<'a>),
    Answer { answer: Answer<'a> },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer<'a> {
    Text(&'a str),
    Error(&'a str),
}

/// A line from the environment: its hello, a reply, a failure, or a question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Incoming {
    #[serde(default)]
    pub hello: Option<Hello>,
    #[serde(default)]
    pub id: Option<u64>,
    #[serde(default)]
    pub ok: Option<Value>,
    #[serde(default)]
    pub error: Option<Failure>,
    #[serde(default)]
    pub ask: Option<AskBack>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hello {
    pub protocol: String,
    pub version: u32,
    pub name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Failure {
    pub kind: RefusalKind,
    pub message: String,
}

/// Why an environment could not fulfil a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// It has no such task.
    UnknownTask,
    /// An act id came back with another call.
    ActIdReused,
    /// Its question stayed without an answer.
    Unanswered,
    /// The answer to its question could not be used, nor a second one.
    BadAnswer,
    /// Anything else.
    #[serde(other)]
    Failed,
}

impl fmt::Display for RefusalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownTask => "unknown task",
            Self::ActIdReused => "act id reused",
            Self::Unanswered => "question unanswered",
            Self::BadAnswer => "answer not usable",
            Self::Failed => "failed",
        })
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Described {
    pub data_version: String,
    pub tools: Vec<Tool>,
    #[serde(default)]
    pub rules: Option<String>,
    #[serde(default)]
    pub greeting: Option<String>,
    #[serde(default)]
    pub user: UserPart,
    #[serde(default)]
    pub cell: Option<FunctionName>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tool {
    pub name: FunctionName,
    pub description: String,
    pub parameters: Value,
    pub effect: Effect,
}

#[derive(Debug, Deserialize)]
pub(super) struct Listed {
    pub tasks: Vec<ListedTask>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ListedTask {
    pub id: TaskId,
    pub scenario: String,
    #[serde(default)]
    pub ability: Option<Ability>,
    pub instruction: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Begun {
    pub instruction: String,
    pub over: bool,
    #[serde(default)]
    pub silence: bool,
    #[serde(default)]
    pub news: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Acted {
    pub content: String,
    pub error: bool,
    pub over: bool,
    #[serde(default)]
    pub calls: Vec<InnerCall>,
    #[serde(default)]
    pub news: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Said {
    pub text: String,
    pub over: bool,
    #[serde(default)]
    pub news: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hashed {
    pub hash: palaestra_domain::Digest,
}

#[derive(Debug, Deserialize)]
pub(super) struct Judged {
    pub passed: bool,
    pub reward: f64,
    pub feedback: Vec<String>,
}

/// The reply of a step that returns nothing.
#[derive(Debug, Deserialize)]
pub(super) struct Done {}
