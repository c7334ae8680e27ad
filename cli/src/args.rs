//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

mod cluster;

pub use cluster::{
    ClassArg, ClusterRunArgs, ConnectArgs, CoordinatorArgs, SubmitArgs, WatchArgs, WorkerArgs,
};

/// Turns agents' attempts at tasks into procedural memory.
#[derive(Debug, Parser)]
#[command(name = "palaestra", version, about, propagate_version = true)]
pub struct Args {
    /// Form of the data on standard output.
    #[arg(long, global = true, value_enum, default_value_t = OutputForm::Human)]
    pub output: OutputForm,
    #[command(subcommand)]
    pub command: Command,
}

/// Form of what a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputForm {
    /// Tables and text.
    Human,
    /// One JSON value.
    Json,
}

/// Where a run's state is.
#[derive(Debug, Clone, clap::Args)]
pub struct StoreArgs {
    /// Where the run's state is: a file, or a Redis server (`redis://HOST[:PORT][/DB]`, `rediss://` for TLS).
    /// Default: `.palaestra/RUN.sqlite`.
    #[arg(long, env = "PALAESTRA_STORE", hide_env_values = true)]
    pub store: Option<String>,
}

/// A run by name.
#[derive(Debug, Clone, clap::Args)]
pub struct RunArgs {
    /// The run. Default: the only run there is.
    #[arg(long)]
    pub run: Option<String>,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a run file to its frozen bank or its report; after a crash, continue it.
    Run {
        /// The run file.
        #[arg(short, long)]
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
        /// Keep all state in memory; nothing can be continued or looked at afterwards.
        #[arg(long, conflicts_with = "store")]
        ephemeral: bool,
        /// Threads for importing and normalizing. Default: all cores.
        #[arg(long)]
        threads: Option<usize>,
        /// Write the frozen bank to this file; for a file with one construction.
        #[arg(long)]
        bank: Option<PathBuf>,
    },
    /// Show what a run would do: attempts, calls and an estimate of their cost.
    Plan {
        /// The run file.
        #[arg(short, long)]
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// The report of an evaluation: success, flips, efficiency, coverage.
    Report(ReportArgs),
    /// Read recorded trajectories; count them, and convert them to Palaestra's own format.
    Import(ImportArgs),
    /// Look into a memory bank.
    #[command(subcommand)]
    Bank(BankCommand),
    /// Look at a contrast packet.
    #[command(subcommand)]
    Packet(PacketCommand),
    /// Coordinate: hand out the units of submitted runs, keep the journal, curate the banks.
    Coordinator(CoordinatorArgs),
    /// Work for a coordinator.
    Worker(WorkerArgs),
    /// Hand a run file to a coordinator.
    Submit(SubmitArgs),
    /// List a coordinator's runs.
    Ls {
        #[command(flatten)]
        connect: ConnectArgs,
        /// Only runs of this tenant.
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Follow a coordinator's run until it is over.
    Watch(WatchArgs),
    /// Hand out no more units of a run; those that are out go on.
    Pause(ClusterRunArgs),
    /// Go on with a paused run, or with a stalled curation.
    Resume(ClusterRunArgs),
    /// Give up a run; what is recorded stays.
    Cancel(ClusterRunArgs),
    /// Benchmarks' environments on this machine: what can be installed or built, and what is.
    #[command(subcommand)]
    Env(EnvCommand),
    /// Print the JSON Schema of run files.
    Schema {
        /// Of which kind of run.
        #[arg(long, value_enum, default_value_t = KindArg::Construction)]
        kind: KindArg,
    },
    /// Check this machine, a run file's sources and the keys that it names.
    Doctor {
        /// A run file to check as well.
        #[arg(short, long)]
        file: Option<PathBuf>,
    },
}

impl Command {
    /// What is logged unless the environment says otherwise: servers tell what they do, other commands
    /// only what is wrong.
    #[must_use]
    pub fn log_filter(&self) -> &'static str {
        match self {
            Self::Coordinator(_) | Self::Worker(_) => "info",
            // Whatever stops the coordinator within the process is the command's own error.
            Self::Run { .. } => "warn,palaestra_coordinator=off",
            _ => "warn",
        }
    }
}

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// The evaluation.
    pub run: String,
    /// The form; tables for people when absent, Markdown in a file.
    #[arg(long, value_enum)]
    pub format: Option<ReportForm>,
    /// The file; standard output when absent.
    #[arg(long)]
    pub to: Option<PathBuf>,
    /// Ask the coordinator for it instead of looking into a store.
    #[arg(long)]
    pub submitted: bool,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub connect: ConnectArgs,
}

/// Form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportForm {
    /// Markdown.
    Md,
    /// One HTML page with its charts inside.
    Html,
    /// One measure per line.
    Csv,
    /// Every measure and every episode.
    Json,
}

/// Kinds of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Builds a bank.
    Construction,
    /// Measures banks.
    Evaluation,
}

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// Files and folders.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// The format; found by content when absent.
    #[arg(long)]
    pub format: Option<String>,
    /// Name of the model where the records do not tell it.
    #[arg(long)]
    pub model: Option<String>,
    /// The benchmark's domain where the records do not tell it.
    #[arg(long)]
    pub domain: Option<String>,
    /// Label file (CSV or JSONL) of plain transcripts.
    #[arg(long)]
    pub labels: Option<PathBuf>,
    /// The least reward that counts as passed.
    #[arg(long, default_value_t = 1.0)]
    pub pass_threshold: f64,
    /// Write all trajectories to this file in Palaestra's own JSONL.
    #[arg(long)]
    pub to: Option<PathBuf>,
}

/// Commands about environments.
#[derive(Debug, Subcommand)]
pub enum EnvCommand {
    /// List what can be installed and where it is.
    Ls,
    /// Install one into a virtual environment of its own, checked against hashes; kept between runs.
    Install {
        /// Its name.
        name: String,
    },
    /// Build the image of one for containers, in the Docker or Podman engine of this machine. Nothing is fetched
    /// from an image registry.
    Build {
        /// Its name.
        name: String,
        /// The image to build on, which the engine has: Python 3.10 or newer with its venv module.
        #[arg(long)]
        base: String,
        /// The image's name. Default: the one that workers look for.
        #[arg(long)]
        tag: Option<String>,
    },
    /// Remove containers of environments whose process has died without removing them.
    Reap {
        /// All containers of environments, also those in use.
        #[arg(long)]
        all: bool,
    },
}

/// Commands about a bank.
#[derive(Debug, Subcommand)]
pub enum BankCommand {
    /// List the cards, or show some of them in full.
    Show {
        /// Card ids or parts of titles; all cards in short when absent.
        cards: Vec<String>,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Retrieve as an agent's task would.
    Search {
        /// The task's words.
        query: String,
        /// Search only this ability's bank.
        #[arg(long)]
        ability: Option<String>,
        /// How many cards of each kind.
        #[arg(short, long, default_value_t = 3)]
        k: usize,
        #[command(flatten)]
        run: RunArgs,
    },
    /// The history: every decision and every rejection.
    Log {
        /// Only events about this task.
        #[arg(long)]
        task: Option<String>,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Where a card comes from: decisions, packets, trajectories.
    Blame {
        /// The card's id.
        card: String,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Why a task brought no card, or what became of its lessons.
    WhyNot {
        /// The task's id.
        task: String,
        #[command(flatten)]
        run: RunArgs,
    },
    /// What differs between two banks: run names or bank files.
    Diff {
        /// The old bank.
        old: String,
        /// The new bank.
        new: String,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Write the bank as a file.
    Export {
        /// The form.
        #[arg(long, value_enum, default_value_t = ExportForm::Json)]
        form: ExportForm,
        /// The file; standard output when absent.
        #[arg(long)]
        to: Option<PathBuf>,
        #[command(flatten)]
        run: RunArgs,
    },
}

/// Form of an exported bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// The frozen bank file, with its hash.
    Json,
    /// For people.
    Markdown,
}

/// Commands about packets.
#[derive(Debug, Subcommand)]
pub enum PacketCommand {
    /// The attempts at one task side by side, with the point where they part.
    Show {
        /// The task's id.
        task: String,
        #[command(flatten)]
        run: RunArgs,
    },
    /// All packets with their kind of contrast.
    Ls {
        #[command(flatten)]
        run: RunArgs,
    },
}
