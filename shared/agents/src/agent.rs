//! The trait of an agent: somebody who attempts a task in an environment.

use async_trait::async_trait;
use palaestra_domain::{SourceId, Task, Trajectory};
use palaestra_environments::Environment;

use crate::guide::Guide;
use crate::limits::Limits;

/// One attempt that an agent is asked to make.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// The task, as the environment lists it.
    pub task: &'a Task,
    /// The seed under which the task was listed.
    pub seed: u64,
    /// Which repetition this is, counted from 0.
    pub trial: u32,
    /// What a memory says during the attempt; none during construction (§3.1).
    pub guidance: Option<&'a dyn Guide>,
    /// How long the attempt may go on.
    pub limits: Limits,
}

/// What an attempt is called in the journal: the same attempt made again has the same name.
#[must_use]
pub fn attempt_name(task: &Task, source: &SourceId, trial: u32) -> String {
    format!("attempt/{}/{source}/{trial}", task.id)
}

/// Attempts tasks and leaves trajectories.
#[async_trait]
pub trait Agent: Send + Sync {
    /// The source that the agent's trajectories carry.
    fn source(&self) -> &SourceId;

    /// What the agent is, for people.
    fn describe(&self) -> &str;

    /// Attempts a task from its reset state and returns what happened, in order, with the
    /// verified outcome. A failure of the environment makes the outcome unresolved.
    async fn attempt(&self, environment: &mut dyn Environment, assignment: &Assignment<'_>) -> Trajectory;
}
