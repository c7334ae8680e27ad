//! Arguments of the commands that make and use a cluster.

use std::net::SocketAddr;
use std::path::PathBuf;

use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{RunName, TenantName};

/// Where a coordinator is, and how to be let in.
#[derive(Debug, Clone, clap::Args)]
pub struct ConnectArgs {
    /// The coordinator's address; several, to try in turn, when one stands by for another.
    #[arg(
        long = "coordinator",
        env = "PALAESTRA_COORDINATOR",
        value_delimiter = ',',
        default_value = "http://127.0.0.1:7400",
        value_name = "URL"
    )]
    pub coordinators: Vec<String>,
    /// A file with the token that gives the right to connect.
    #[arg(long, env = "PALAESTRA_TOKEN_FILE", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Certificates (PEM) that the coordinator's certificate must be signed by.
    #[arg(long, env = "PALAESTRA_TLS_CA", value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
    /// Our own certificate (PEM), where the coordinator asks for one.
    #[arg(long, env = "PALAESTRA_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The key of our own certificate (PEM).
    #[arg(long, env = "PALAESTRA_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

/// Arguments of `coordinator`.
#[derive(Debug, clap::Args)]
pub struct CoordinatorArgs {
    /// Where the state of all runs is: a file, or a Redis server (`redis://HOST[:PORT][/DB]`, `rediss://` for TLS).
    #[arg(
        long,
        env = "PALAESTRA_STORE",
        hide_env_values = true,
        default_value = ".palaestra/coordinator.sqlite"
    )]
    pub store: String,
    /// Where workers and clients connect.
    #[arg(long, default_value = "127.0.0.1:7400", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Where `/metrics`, `/healthz` and `/readyz` are served.
    #[arg(long, default_value = "127.0.0.1:7401", value_name = "ADDRESS")]
    pub http: SocketAddr,
    /// Our certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The key of our certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Certificates (PEM) that callers' certificates must be signed by: mutual TLS.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_client_ca: Option<PathBuf>,
    /// A file with the token of workers.
    #[arg(long, value_name = "FILE")]
    pub worker_token_file: Option<PathBuf>,
    /// A file with the token of clients.
    #[arg(long, value_name = "FILE")]
    pub client_token_file: Option<PathBuf>,
    /// A file with the token that `/metrics` asks for.
    #[arg(long, value_name = "FILE")]
    pub metrics_token_file: Option<PathBuf>,
    /// How long a lease lasts without a sign of life from its worker, in seconds.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub lease_seconds: u64,
    /// How long a leader on Redis may give no sign of life before a standby takes over, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub takeover_seconds: u64,
}

/// Arguments of `worker`.
#[derive(Debug, clap::Args)]
pub struct WorkerArgs {
    #[command(flatten)]
    pub connect: ConnectArgs,
    /// How many units to work on at once, per environment: `workshop=4`. Default: one per core in each.
    #[arg(long, value_parser = slots, value_name = "ENVIRONMENT=N")]
    pub slots: Vec<(EnvironmentName, u32)>,
    /// The worker's name; must be its own. Default: the host's name, the process number and a random part.
    #[arg(long)]
    pub id: Option<String>,
    /// How long running units may go on after SIGTERM, in seconds; what is left is handed back.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=11))]
    pub drain_seconds: u64,
}

fn slots(text: &str) -> Result<(EnvironmentName, u32), String> {
    let (name, count) = text.split_once('=').ok_or("say ENVIRONMENT=N, for example workshop=4")?;
    let environment = serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|error| format!("there is no environment `{name}`: {error}"))?;
    let count = count.parse().map_err(|error| format!("`{count}` is not a number of slots: {error}"))?;
    Ok((environment, count))
}

/// How urgent a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ClassArg {
    /// Somebody waits for it.
    Interactive,
    /// It may take its time.
    Batch,
}

/// Arguments of `submit`.
#[derive(Debug, clap::Args)]
pub struct SubmitArgs {
    /// The run file.
    #[arg(short, long)]
    pub file: PathBuf,
    #[command(flatten)]
    pub connect: ConnectArgs,
    /// On whose behalf. Default: `default`; a known run's cannot be changed.
    #[arg(long, value_parser = |text: &str| TenantName::new(text).map_err(|error| error.to_string()))]
    pub tenant: Option<TenantName>,
    /// How urgent it is beside other runs. Default: batch, or what a known run is.
    #[arg(long, value_enum)]
    pub class: Option<ClassArg>,
    /// Its share of the workers relative to other runs of its class. Default: 1, or what a known run has.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub weight: Option<u32>,
    /// How long one worker may work on one task, in seconds. Default: an hour, or what a known run has.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub unit_seconds: Option<u64>,
    /// Watch the run until it is over.
    #[arg(long)]
    pub watch: bool,
    /// Write the frozen bank to this file.
    #[arg(long, value_name = "FILE", requires = "watch")]
    pub bank: Option<PathBuf>,
}

/// A coordinator's run by name.
#[derive(Debug, clap::Args)]
pub struct ClusterRunArgs {
    /// The run.
    #[arg(value_parser = |text: &str| RunName::new(text).map_err(|error| error.to_string()))]
    pub run: RunName,
    #[command(flatten)]
    pub connect: ConnectArgs,
}

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub struct WatchArgs {
    #[command(flatten)]
    pub of: ClusterRunArgs,
    /// Write the frozen bank to this file.
    #[arg(long, value_name = "FILE")]
    pub bank: Option<PathBuf>,
}
