//! What can go wrong between a caller and a world.
//!
//! An agent's own mistakes are not here: a wrong call comes back as an error *result* in words, so
//! that the agent can read it and recover.

use palaestra_domain::{DomainError, TaskId};

/// A failure of the environment or of its use; never an agent's wrong call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A task id that this world does not have.
    #[error("no task {task} in environment {environment}: `tasks` lists those that it has")]
    UnknownTask {
        /// The environment that was asked.
        environment: &'static str,
        /// The id that it does not know.
        task: TaskId,
    },
    /// A task whose text is not the one that this seed gives.
    #[error(
        "task {task} was listed with another seed than {seed}: reset with the seed that its listing used"
    )]
    SeedMismatch {
        /// The task.
        task: TaskId,
        /// The seed that `reset` was given.
        seed: u64,
    },
    /// A step that needs an earlier one.
    #[error("cannot {step} before {needed}: call it first")]
    OutOfStep {
        /// What was asked for.
        step: &'static str,
        /// What has to happen first.
        needed: &'static str,
    },
    /// An act id that came back with another call.
    #[error("act {id:?} already stands for another call: give every new call an id of its own")]
    ActIdReused {
        /// The id.
        id: String,
    },
    /// A world that breaks the environment contract.
    #[error("environment breaks its contract, {rule}: {found}")]
    Conformance {
        /// The rule that is broken.
        rule: &'static str,
        /// What was seen instead.
        found: String,
    },
    /// A value that could not be built.
    #[error("environment built a value that is not valid")]
    Domain(#[from] DomainError),
    /// A label file of recorded transcripts that cannot be used.
    #[error("cannot read the labels in {}: {message}", path.display())]
    Labels {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A pass threshold that no reward can be compared with.
    #[error("pass threshold {value} is not a finite number: give the smallest reward that passes")]
    PassThreshold {
        /// The refused threshold.
        value: f64,
    },
    /// Trajectories that could not be written.
    #[error("cannot write trajectories")]
    Write {
        /// The cause.
        source: std::io::Error,
    },
}
