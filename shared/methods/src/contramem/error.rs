//! What can stop a construction.

use palaestra_domain::DomainError;
use palaestra_store::Error as StoreError;

/// An error that stops a construction; what was committed stays, and the same command continues.
///
/// A card, delta or patch that is not good enough is no error: it is a counted rejection.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A construction model could not be reached or the budget is used up.
    #[error("the construction model's call for {scope} failed")]
    Model {
        /// What the call was for.
        scope: String,
        /// The model's error.
        #[source]
        source: Box<palaestra_models::Error>,
    },
    /// The run's durable state could not be read or written.
    #[error("could not {action} of run state `{stream}`")]
    Store {
        /// What was tried.
        action: &'static str,
        /// The stream or blob.
        stream: String,
        /// The store's error.
        #[source]
        source: StoreError,
    },
    /// A value that cannot be identified or written.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The log holds an event that does not follow from those before it.
    #[error("the event log `{stream}` is not consistent at position {position}: {message}")]
    Inconsistent {
        /// The stream.
        stream: String,
        /// Position of the event, from 0.
        position: u64,
        /// What is wrong.
        message: String,
    },
    /// A run of this name exists and would have another result.
    #[error("run `{run}` exists with other inputs; choose another name or store, or restore them:\n  {}", differences.join("\n  "))]
    OtherIdentity {
        /// The run.
        run: String,
        /// What differs: `path: theirs -> ours`.
        differences: Vec<String>,
    },
    /// The environment or an importer failed.
    #[error("could not {action}")]
    Environment {
        /// What was tried.
        action: String,
        /// The environment's error.
        #[source]
        source: Box<palaestra_environments::Error>,
    },
    /// A source that does not exist.
    #[error("there is no scripted source `{name}`; known are {known}")]
    UnknownSource {
        /// The name in the run file.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The selected inputs hold no attempt at all.
    #[error("the sources of run `{run}` hold no attempt that could be used; {hint}")]
    NoAttempts {
        /// The run.
        run: String,
        /// What to look at.
        hint: String,
    },
    /// A recording format that does not exist.
    #[error("cannot read a source: {message}")]
    SourceFormat {
        /// The importer's words.
        message: String,
    },
    /// The same attempt stands in two sources of the run file.
    #[error(
        "task {task}, source {source_id}, trial {trial} stands in two sources of the run file; leave one out or give it another `model` name"
    )]
    RepeatedAttempt {
        /// The task.
        task: String,
        /// The source.
        source_id: String,
        /// The trial.
        trial: u32,
    },
    /// A task with more attempts than one unit may hold.
    #[error(
        "task {task} has {attempts} attempts, and {most} are the most; lower `trials`, or keep fewer models with `only`"
    )]
    TooManyAttempts {
        /// The task.
        task: String,
        /// How many attempts it has.
        attempts: u64,
        /// How many it may have.
        most: u32,
    },
    /// A language model is to be asked where there is no way to one.
    #[error(
        "`{model}` was to be asked, and this process has no way to a model; describe its provider in `spec.providers` and give the process its key"
    )]
    NoModels {
        /// The model in the run file.
        model: String,
    },
    /// An agent cannot be made.
    #[error("could not make the agent of source `{source_id}`")]
    Agent {
        /// The source.
        source_id: String,
        /// The agent's error.
        #[source]
        source: Box<palaestra_agents::Error>,
    },
    /// What one stage left for another cannot be read.
    #[error("cannot read a {what}: {message}")]
    Unreadable {
        /// What it should be.
        what: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// Nobody's attempt at a task says anything.
    #[error("no attempt at task {task} could be resolved:\n  {}", reasons.join("\n  "))]
    Unresolved {
        /// The task.
        task: String,
        /// Per attempt, who made it and what happened.
        reasons: Vec<String>,
    },
    /// A run is to be finished whose tasks have not all ended.
    #[error("cannot finish run `{run}`: {open} of its tasks have not ended, the first is {first}")]
    NotEnded {
        /// The run.
        run: String,
        /// How many tasks are open.
        open: usize,
        /// The first of them.
        first: String,
    },
    /// A bank that may not be measured where it was asked to be.
    #[error("condition `{condition}` cannot be measured with {bank}: {problem}")]
    BankRefused {
        /// The condition.
        condition: String,
        /// Which bank.
        bank: String,
        /// What differs.
        problem: String,
    },
    /// Episodes that do not make a report.
    #[error("cannot report on run `{run}`")]
    Report {
        /// The run.
        run: String,
        /// What is wrong with them.
        #[source]
        source: palaestra_evaluation::Error,
    },
    /// There is no such run in the store.
    #[error("there is no run `{run}` in this store; known are: {known}")]
    NoSuchRun {
        /// The name that was asked for.
        run: String,
        /// The runs that exist.
        known: String,
    },
    /// There is no packet of this task.
    #[error("the run has no packet of task `{task}`; it has {count}, the first are: {known}")]
    NoSuchTask {
        /// The task that was asked for.
        task: String,
        /// The first tasks that exist.
        known: String,
        /// How many there are.
        count: usize,
    },
}
