//! How long an environment's steps take through the wire: a script of calls, episode after episode,
//! without any model.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::task::Split;
use palaestra_environments::contract::Act;
use palaestra_environments::wire::{AskBack, AskError, Asked, Purpose};
use palaestra_environments::{Environment, Worlds};
use palaestra_runtime::{Clock as _, SystemClock};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is driven.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The script, a JSON file.
    script: PathBuf,
}

/// Episodes of one environment.
#[derive(Debug, Deserialize)]
struct Script {
    environment: EnvironmentName,
    seed: u64,
    episodes: Vec<Episode>,
}

/// One episode, and what user and judge answer in it.
#[derive(Debug, Deserialize)]
struct Episode {
    task: String,
    calls: Vec<(String, Map<String, Value>)>,
    /// The agent's last words to the user; none where there is no user.
    say: Option<String>,
    user: VecDeque<String>,
    judge: VecDeque<String>,
}

/// What was measured, in microseconds each.
#[derive(Debug, Default, Serialize)]
struct Report {
    reset: Vec<u128>,
    act: Vec<u128>,
    verify: Vec<u128>,
    episode: Vec<u128>,
    passed: usize,
}

/// Drives the script and prints the report as JSON. The first episode is driven twice: the first
/// time starts the process and is not measured.
///
/// # Errors
/// When the script cannot be read or the environment fails.
#[expect(clippy::print_stdout, reason = "a program for scripts")]
pub async fn run(arguments: &Arguments) -> Result<()> {
    let path = arguments.script.display();
    let text = std::fs::read(&arguments.script).with_context(|| format!("cannot read {path}"))?;
    let script: Script =
        serde_json::from_slice(&text).with_context(|| format!("cannot understand {path}"))?;
    let prompter = Arc::new(Prompter::default());
    let mut world = Worlds::default().open(script.environment, Arc::<Prompter>::clone(&prompter))?;
    let mut tasks = world.tasks(Split::Reference, 1, script.seed).await?;
    tasks.extend(world.tasks(Split::HeldOut, 1, script.seed).await?);
    let mut report = Report::default();
    for (index, episode) in script.episodes.iter().take(1).chain(&script.episodes).enumerate() {
        let task = tasks.iter().find(|task| task.id.as_str() == episode.task);
        let task = task.with_context(|| format!("there is no task {}", episode.task))?;
        prompter.prepare(episode);
        let mut stage = Stage { world: &mut *world, report: Report::default() };
        stage.drive(task, script.seed, episode).await?;
        if index > 0 {
            report.add(stage.report);
        }
    }
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// One episode under way.
struct Stage<'a> {
    world: &'a mut dyn Environment,
    report: Report,
}

impl Stage<'_> {
    async fn drive(&mut self, task: &palaestra_domain::Task, seed: u64, episode: &Episode) -> Result<()> {
        let begun = SystemClock.monotonic();
        self.world.reset(task, seed).await?;
        self.report.reset.push(micros(SystemClock.monotonic() - begun));
        for (number, (function, arguments)) in episode.calls.iter().enumerate() {
            let (function, arguments) = (function.clone(), arguments.clone());
            let act = Act { id: format!("call-{number}"), function, arguments };
            let started = SystemClock.monotonic();
            self.world.act(&act).await?;
            self.report.act.push(micros(SystemClock.monotonic() - started));
        }
        if let Some(words) = &episode.say {
            self.world.say(words).await?;
        }
        let started = SystemClock.monotonic();
        self.world.finish("").await?;
        let verdict = self.world.verify().await?;
        self.world.close().await?;
        let ended = SystemClock.monotonic();
        self.report.verify.push(micros(ended - started));
        self.report.episode.push(micros(ended - begun));
        self.report.passed += usize::from(verdict.passed);
        Ok(())
    }
}

impl Report {
    fn add(&mut self, other: Self) {
        self.reset.extend(other.reset);
        self.act.extend(other.act);
        self.verify.extend(other.verify);
        self.episode.extend(other.episode);
        self.passed += other.passed;
    }
}

fn micros(took: Duration) -> u128 {
    took.as_micros()
}

/// Answers from the script.
#[derive(Debug, Default)]
struct Prompter {
    user: Mutex<VecDeque<String>>,
    judge: Mutex<VecDeque<String>>,
}

impl Prompter {
    fn prepare(&self, episode: &Episode) {
        self.user.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&episode.user);
        self.judge.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&episode.judge);
    }
}

#[async_trait]
impl Asked for Prompter {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        let answers = match question.purpose {
            Purpose::User => &self.user,
            Purpose::Judge => &self.judge,
        };
        let next = answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let missing = || format!("the script has no answer of the {} left", question.purpose);
        next.ok_or_else(|| AskError { class: UnresolvedClass::Unknown, source: missing().into() })
    }
}
