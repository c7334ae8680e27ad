//! What can go wrong between a caller and a world.
//!
//! An agent's own mistakes are not here: a wrong call comes back as an error *result* in words, so
//! that the agent can read it and recover.

use std::path::PathBuf;
use std::time::Duration;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{DomainError, TaskId};

use crate::launch::DockerError;
use crate::wire::{Purpose, RefusalKind};

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
    /// An environment's process or container that did not come up.
    #[error("cannot start environment {environment} ({what}): check its installation")]
    Launch {
        /// The environment.
        environment: &'static str,
        /// What was to be started.
        what: String,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// An environment that let a deadline pass; it has been killed.
    #[error(
        "environment {environment} did not answer {step} within {} s and was ended ({end}); its last words: {last_words}",
        deadline.as_secs_f64()
    )]
    Stuck {
        /// The environment.
        environment: &'static str,
        /// What it was asked for.
        step: &'static str,
        /// How long it was given.
        deadline: Duration,
        /// How it ended.
        end: String,
        /// The end of its standard error.
        last_words: String,
    },
    /// An environment that ended in the middle.
    #[error("environment {environment} ended during {step} ({end}); its last words: {last_words}")]
    Dead {
        /// The environment.
        environment: &'static str,
        /// What it was asked for.
        step: &'static str,
        /// How it ended.
        end: String,
        /// The end of its standard error.
        last_words: String,
    },
    /// A message beyond the size limit, in either direction; nothing of it was taken.
    #[error(
        "environment {environment}: a message of {step} is longer than {limit} bytes, so the environment was ended: \
         raise the limit, or let it return less"
    )]
    TooLarge {
        /// The environment.
        environment: &'static str,
        /// What it was asked for.
        step: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// A line that is not of the protocol, or not of its order.
    #[error("environment {environment} answered {step} with what is not of the protocol ({what}): {line}")]
    Garbled {
        /// The environment.
        environment: &'static str,
        /// What it was asked for.
        step: &'static str,
        /// What is wrong with it.
        what: String,
        /// The beginning of the line.
        line: String,
    },
    /// An environment that is another one, or speaks another version of the protocol.
    #[error(
        "environment {environment} greets as {found}, and {expected} is needed: install the one that fits"
    )]
    WrongHello {
        /// The environment that was wanted.
        environment: &'static str,
        /// Name, protocol and version of what was met.
        found: String,
        /// What is needed.
        expected: String,
    },
    /// A request that the environment itself gave up on.
    #[error("environment {environment} could not {step} ({kind}): {message}")]
    Refused {
        /// The environment.
        environment: &'static str,
        /// What it was asked for.
        step: &'static str,
        /// Which kind of failure it is.
        kind: RefusalKind,
        /// The environment's own words.
        message: String,
    },
    /// A question of the environment to a model that stayed without an answer.
    #[error("environment {environment} got no answer from its {purpose} model")]
    Unanswered {
        /// The environment.
        environment: &'static str,
        /// Whom it had asked.
        purpose: Purpose,
        /// What the failure says about the attempt.
        class: UnresolvedClass,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An environment without an installation.
    #[error("environment {name} is not installed here: run `palaestra env install {name}`")]
    NotInstalled {
        /// What `palaestra env install` calls it.
        name: String,
    },
    /// An environment that is no world.
    #[error("{name} is no world that can be acted in: its attempts were recorded elsewhere")]
    NoWorld {
        /// The environment.
        name: &'static str,
    },
    /// A name that cannot be installed.
    #[error("nothing called {name:?} can be installed: choose one of {known}")]
    UnknownRecipe {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A command of an installation that failed.
    #[error("cannot install {name}: {command} failed ({end}): {last_words}")]
    InstallCommand {
        /// What is being installed.
        name: String,
        /// The command.
        command: String,
        /// How it ended.
        end: String,
        /// The end of its output.
        last_words: String,
    },
    /// A file of an installation that cannot be read or written.
    #[error("cannot {action} {} for an installation: check that the folder can be written", path.display())]
    InstallFile {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// A container engine, or the use of one.
    #[error(transparent)]
    Docker(#[from] DockerError),
    /// An environment variable with a value that means nothing.
    #[error("{name}={value} means nothing: set it to one of {known}, or not at all")]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// The values that there are.
        known: &'static str,
    },
    /// No folder for installations.
    #[error("no folder for installed environments: set PALAESTRA_HOME, XDG_CACHE_HOME or HOME")]
    NoHome,
    /// A label file of recorded transcripts that cannot be used.
    #[error("cannot read the labels in {}: {message}", path.display())]
    Labels {
        /// The file.
        path: PathBuf,
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

impl Error {
    /// What the failure says about the attempt that met it.
    #[must_use]
    pub fn class(&self) -> UnresolvedClass {
        match self {
            Self::Unanswered { class, .. } => *class,
            Self::Refused { kind: RefusalKind::BadAnswer, .. } => UnresolvedClass::Provider,
            _ => UnresolvedClass::Infrastructure,
        }
    }
}
