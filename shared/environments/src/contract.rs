//! The contract of an environment: describe, list tasks, reset, act, say, finish, verify, close.
//!
//! Every benchmark offers the same few steps, so that agents and methods never name one. The
//! contract holds no agent, no model call and no policy.

use async_trait::async_trait;
use palaestra_domain::task::Split;
use palaestra_domain::tool::ToolSpec;
use palaestra_domain::{Digest, FunctionName, Task};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// What an environment is and offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The environment's name, as a run file writes it.
    pub name: &'static str,
    /// The version of its data and rules; a change makes results incomparable.
    pub data_version: String,
    /// The callable functions, in a fixed order.
    pub tools: Vec<ToolSpec>,
    /// The benchmark's own standing instructions for the agent, its policy included, where it has
    /// some.
    pub rules: Option<String>,
    /// What the agent has said already when the user speaks first, where the benchmark opens so.
    pub greeting: Option<String>,
    /// What the user does, and so what an agent's words mean.
    pub user: UserPart,
    /// The offered function that executes code, in its argument `code`, where the benchmark is made
    /// for agents that write some.
    pub cell: Option<FunctionName>,
}

/// What the other side of the conversation does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserPart {
    /// Answers questions. The agent ends the attempt.
    #[default]
    Answers,
    /// Leads the conversation; the user, or the world, ends the attempt.
    Leads,
    /// Nobody is there. The agent's first words to nobody end the attempt.
    Absent,
}

/// One call of a function by the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// The call's id, unique within an attempt; repeating it returns the stored result.
    pub id: String,
    /// `App.function`, as the agent wrote it; it may not exist.
    pub function: String,
    /// The arguments, as the agent wrote them; they may not fit the schema.
    pub arguments: Map<String, Value>,
}

/// What a call returned.
#[derive(Debug, Clone, PartialEq)]
pub struct ActResult {
    /// The returned text, byte for byte: JSON for a success, a sentence for an error.
    pub content: String,
    /// Whether the call failed and changed nothing.
    pub error: bool,
    /// What executed code called itself, in order; none for any other call.
    pub calls: Vec<InnerCall>,
}

impl ActResult {
    /// What a plain call returned.
    #[must_use]
    pub fn of_call(content: String, error: bool) -> Self {
        Self { content, error, calls: Vec::new() }
    }
}

/// A call that executed code made.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct InnerCall {
    /// `App.function`.
    pub function: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// The returned text.
    pub content: String,
    /// Whether the call failed.
    pub error: bool,
}

/// The verifier's judgement of a finished attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the task is done.
    pub passed: bool,
    /// The benchmark's reward, from 0 to 1.
    pub reward: f64,
    /// What was missing, extra, different or out of order; one remark each, empty when passed.
    pub feedback: Vec<String>,
}

/// A world that can be reset to a task, acted on and verified (§3.1).
///
/// An error of a method means that the environment or its caller failed; an agent's wrong call
/// comes back as an [`ActResult`] with `error` set.
#[async_trait]
pub trait Environment: Send {
    /// What the environment offers.
    ///
    /// # Errors
    /// Any [`Error`] of the environment itself.
    async fn describe(&mut self) -> Result<Description, Error>;

    /// The tasks of one side of the split, with their abilities and instructions, in a fixed
    /// order. An environment that makes its tasks from templates gives so many instances of each
    /// under the seed.
    ///
    /// # Errors
    /// Any [`Error`] of the environment itself.
    async fn tasks(&mut self, split: Split, instances: u32, seed: u64) -> Result<Vec<Task>, Error>;

    /// Starts a task from its reset state and returns the instruction for the agent. The same
    /// task and seed give the same world.
    ///
    /// # Errors
    /// [`Error::UnknownTask`] and [`Error::SeedMismatch`].
    async fn reset(&mut self, task: &Task, seed: u64) -> Result<String, Error>;

    /// Performs one call. An id that was seen before returns the stored result and acts on
    /// nothing; a call after `finish` is an error result.
    ///
    /// # Errors
    /// [`Error::OutOfStep`] before `reset`, [`Error::ActIdReused`] when an id returns with
    /// another call.
    async fn act(&mut self, act: &Act) -> Result<ActResult, Error>;

    /// Says something to the user and returns the user's reply. A failed `say` has changed nothing
    /// and may be repeated.
    ///
    /// # Errors
    /// [`Error::OutOfStep`] before `reset`, after `finish` and once the attempt is over.
    async fn say(&mut self, text: &str) -> Result<String, Error>;

    /// Hears words of the agent that nobody answers, such as those beside a call: a benchmark may
    /// grade them.
    ///
    /// # Errors
    /// [`Error::OutOfStep`] before `reset` and after `finish`.
    async fn remark(&mut self, text: &str) -> Result<(), Error> {
        let _ = text;
        Ok(())
    }

    /// Whether the other side has ended the attempt: the user has left, or a limit of the benchmark
    /// was reached. Then only `finish` is left to do.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether saying nothing (an empty `say`) lets time pass in this attempt.
    fn hears_silence(&self) -> bool {
        false
    }

    /// News of the world that nobody asked for, which came with the steps since this was asked last.
    fn take_news(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// What could not be read as it stood since this was asked last, and how it was read instead.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// The hash of the world's whole state.
    ///
    /// # Errors
    /// [`Error::OutOfStep`] before `reset`.
    async fn state_hash(&mut self) -> Result<Digest, Error>;

    /// Ends the attempt with the agent's final response to the user.
    ///
    /// # Errors
    /// [`Error::OutOfStep`] before `reset` and when the attempt has ended already.
    async fn finish(&mut self, final_response: &str) -> Result<(), Error>;

    /// Judges the finished attempt.
    ///
    /// # Errors
    /// [`Error::OutOfStep`] before `finish`.
    async fn verify(&mut self) -> Result<Verdict, Error>;

    /// Gives back what the environment holds; `reset` may follow.
    ///
    /// # Errors
    /// Any [`Error`] of the environment itself.
    async fn close(&mut self) -> Result<(), Error>;
}
