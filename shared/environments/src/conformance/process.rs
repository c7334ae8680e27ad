//! The rules for environments in processes of their own: every way in which one can fail is an
//! error in words, costs its attempt only, and leaves nothing behind.
//!
//! No environment has to take part in its own failure: it is stopped, killed and limited from here.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::outcome::UnresolvedClass;
use rustix::process::{Pid, Signal, kill_process, test_kill_process_group};

use super::rules::{Sample, check, hold, out_of_step};
use crate::contract::Environment as _;
use crate::error::Error;
use crate::wire::{AskBack, AskError, Asked, Pool, WireEnvironment, WireSettings};

/// How long a killed process may take to be gone.
const GONE: Duration = Duration::from_secs(10);

/// How the suite opens an environment that it may break.
pub struct Process<'a> {
    /// A new pool of it under these settings.
    pub pool: &'a (dyn Fn(WireSettings) -> Arc<Pool> + Sync),
    /// What answers its questions.
    pub asked: Arc<dyn Asked>,
}

/// Runs the whole suite, the rules of the contract included.
///
/// # Errors
/// [`Error::Conformance`] with the first rule that is broken, or the environment's own error.
pub async fn check_process(process: &Process<'_>, sample: &Sample) -> Result<(), Error> {
    let pool = (process.pool)(WireSettings::default());
    let mut environment = WireEnvironment::new(pool, Arc::clone(&process.asked));
    check(&mut environment, sample).await?;
    killed(&mut environment, sample).await?;
    reused(process, sample).await?;
    stuck(process, sample).await?;
    too_large(process).await?;
    unanswered(process, sample).await?;
    let id = running(&mut environment, sample).await?;
    drop(environment);
    gone("nothing is left behind", id).await
}

/// A fresh attempt and the process that holds it.
async fn running(environment: &mut WireEnvironment, sample: &Sample) -> Result<u32, Error> {
    environment.reset(&sample.task, sample.seed).await?;
    environment.process_id().ok_or(Error::Conformance { rule: "it has a process", found: "none".to_owned() })
}

async fn killed(environment: &mut WireEnvironment, sample: &Sample) -> Result<(), Error> {
    let id = running(environment, sample).await?;
    let start = environment.state_hash().await?;
    signal(id, Signal::KILL)?;
    let dead = environment.act(&sample.write).await;
    hold("a call of a dead process says so", matches!(dead, Err(Error::Dead { .. })), format!("{dead:?}"))?;
    gone("a dead process is taken away", id).await?;
    out_of_step("an attempt ends with its process", environment.act(&sample.write).await)?;
    environment.reset(&sample.task, sample.seed).await?;
    let again = environment.state_hash().await?;
    hold("reset starts a new process with the same state", start == again, "another state hash")
}

/// An attempt that is given up half-way leaves nothing to the next one in the same process.
async fn reused(process: &Process<'_>, sample: &Sample) -> Result<(), Error> {
    let pool = (process.pool)(WireSettings::default());
    let mut first = WireEnvironment::new(Arc::clone(&pool), Arc::clone(&process.asked));
    let id = running(&mut first, sample).await?;
    let start = first.state_hash().await?;
    first.act(&sample.write).await?;
    drop(first);
    let mut second = WireEnvironment::new(pool, Arc::clone(&process.asked));
    out_of_step("an attempt is not passed on", second.state_hash().await)?;
    let same = running(&mut second, sample).await? == id;
    hold("an idle process is used again", same, "another process")?;
    hold("an attempt leaves no trace", start == second.state_hash().await?, "another state hash")?;
    let result = second.act(&sample.write).await?;
    hold("act ids of an earlier attempt are free again", !result.error, result.content)
}

async fn stuck(process: &Process<'_>, sample: &Sample) -> Result<(), Error> {
    let settings = WireSettings {
        step: Duration::from_secs(5),
        grace: Duration::from_millis(200),
        ..WireSettings::default()
    };
    let mut environment = WireEnvironment::new((process.pool)(settings), Arc::clone(&process.asked));
    let id = running(&mut environment, sample).await?;
    // A stopped process neither answers nor hears SIGTERM.
    signal(id, Signal::STOP)?;
    let stuck = environment.act(&sample.write).await;
    hold(
        "a stuck call ends at its deadline",
        matches!(stuck, Err(Error::Stuck { .. })),
        format!("{stuck:?}"),
    )?;
    gone("a wedged process is killed", id).await?;
    environment.reset(&sample.task, sample.seed).await.map(|_| ())
}

async fn too_large(process: &Process<'_>) -> Result<(), Error> {
    let settings = WireSettings { most_bytes: 256, ..WireSettings::default() };
    let mut environment = WireEnvironment::new((process.pool)(settings), Arc::clone(&process.asked));
    let huge = environment.describe().await;
    hold(
        "a message beyond the limit is refused",
        matches!(huge, Err(Error::TooLarge { .. })),
        format!("{huge:?}"),
    )?;
    hold("its process is ended", environment.process_id().is_none(), "it still runs")
}

/// Where the environment asks at all, a question without an answer is an error of its own class,
/// and the process goes on.
async fn unanswered(process: &Process<'_>, sample: &Sample) -> Result<(), Error> {
    let pool = (process.pool)(WireSettings::default());
    let mut environment = WireEnvironment::new(Arc::clone(&pool), Arc::new(Silent));
    match environment.reset(&sample.task, sample.seed).await {
        Ok(_) => return Ok(()),
        Err(error) => hold(
            "a question without an answer says so",
            matches!(error, Error::Unanswered { .. }) && error.class() == UnresolvedClass::Budget,
            error.to_string(),
        )?,
    }
    let id = environment.process_id();
    drop(environment);
    let mut next = WireEnvironment::new(pool, Arc::clone(&process.asked));
    next.reset(&sample.task, sample.seed).await?;
    hold("a process survives an unanswered question", next.process_id() == id, "another process")
}

struct Silent;

#[async_trait]
impl Asked for Silent {
    async fn answer(&self, _: AskBack) -> Result<String, AskError> {
        Err(AskError { class: UnresolvedClass::Budget, source: "nothing is left to spend".into() })
    }
}

fn pid(id: u32) -> Result<Pid, Error> {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| Error::Conformance { rule: "it has a process", found: id.to_string() })
}

fn signal(id: u32, signal: Signal) -> Result<(), Error> {
    kill_process(pid(id)?, signal).map_err(|error| Error::Conformance {
        rule: "its process can be signalled",
        found: error.to_string(),
    })
}

async fn gone(rule: &'static str, id: u32) -> Result<(), Error> {
    hold(rule, wait_until_gone(id).await?, format!("process group {id} is still there"))
}

/// Waits until no process of a group is left, and says whether that happened in good time.
///
/// # Errors
/// [`Error::Conformance`] when the number cannot be a process's.
pub async fn wait_until_gone(group: u32) -> Result<bool, Error> {
    let group = pid(group)?;
    let look = async {
        while test_kill_process_group(group).is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    Ok(tokio::time::timeout(GONE, look).await.is_ok())
}
