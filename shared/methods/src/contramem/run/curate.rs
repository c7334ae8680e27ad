//! Curation on the coordinator (algorithm 1, lines 7 to 23): the one writer of a run's stream and of
//! its banks.
//!
//! Tasks may end in any order; banks are built once all have ended, from packets in curriculum order, so
//! that nothing about them depends on who was fast. Every step writes its events first and can be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::join_all;
use palaestra_domain::{
    Ability, Digest, FailureClass, FunctionEvidence, FunctionName, RunName, SourceId, TaskId, Unit,
};
use palaestra_memory::freeze::FrozenBank;
use palaestra_runtime::tasks;
use palaestra_store::Store;
use tokio_util::task::AbortOnDropHandle;

use super::super::construct::{
    Construction, HeldOutTask, PacketEntry, Progress, build_function_bank, build_skill_bank, freeze,
};
use super::super::error::Error;
use super::super::model::ConstructionModel;
use super::event::{RUN_EVENT_FORMAT, RunEvent};
use super::identity::Identity;
use super::log::{self, RunLog};
use super::result::ReferenceResult;
use super::stage::{OnStage, Stage};
use super::submission::{PlannedTask, Submission};
use super::{blob, evidence};

/// How a unit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Its result rests at this address.
    Result(Digest),
    /// There is none: its retries ran out, or (without a class) the run was cancelled.
    GaveUp(Option<FailureClass>),
}

/// The curation of one run.
pub struct Curation {
    store: Arc<dyn Store>,
    name: RunName,
    submission: Submission,
    log: RunLog,
    recorded: BTreeSet<TaskId>,
    progress: OnStage,
}

impl Curation {
    /// Opens a run, new or not. As long as no task of the run has ended, another submission takes its
    /// place: a slip in a run file must not use up the run's name.
    ///
    /// # Errors
    /// [`Error::OtherIdentity`] when the store holds a run of this name that would have another result;
    /// others when the store fails, or holds a run of another format.
    pub async fn open(
        store: Arc<dyn Store>,
        name: &RunName,
        submission: Submission,
        progress: OnStage,
    ) -> Result<Self, Error> {
        let log = RunLog::open(store.clone(), name).await?;
        let recorded = log.events().iter().filter_map(RunEvent::ended).cloned().collect();
        let mut curation = Self { store, name: name.clone(), submission, log, recorded, progress };
        curation.start().await?;
        let total = curation.submission.tasks.len().saturating_sub(curation.recorded.len());
        (curation.progress)(Stage::Packets { total });
        Ok(curation)
    }

    async fn start(&mut self) -> Result<(), Error> {
        let submission = &self.submission;
        let started = self.log.events().iter().rev().find_map(|event| match event {
            RunEvent::Started { identity, basis, .. } => Some((*identity, basis)),
            _ => None,
        });
        if let Some((identity, basis)) = started {
            if identity == submission.identity {
                return Ok(());
            }
            if !self.recorded.is_empty() {
                let ours = Identity { digest: submission.identity, basis: submission.basis.clone() };
                return Err(Error::OtherIdentity {
                    run: self.name.to_string(),
                    differences: ours.differences(basis),
                });
            }
        }
        let not_json = |error: serde_json::Error| palaestra_domain::DomainError::NotCanonical {
            what: "run file",
            message: error.to_string(),
        };
        let mut events = vec![RunEvent::Started {
            format: RUN_EVENT_FORMAT,
            program: submission.program.clone(),
            identity: submission.identity,
            basis: submission.basis.clone(),
            spec: serde_json::to_value(&submission.run).map_err(not_json)?,
        }];
        events.extend(submission.refused.iter().cloned().map(RunEvent::Refused));
        events.push(RunEvent::Planned {
            requested: submission.tasks.values().map(PlannedTask::requested).sum(),
            held_out: submission.held_out.clone(),
            declared: submission.declared.clone(),
        });
        // One commit: what the run is and what it plans are one fact.
        self.log.append(events).await
    }

    /// Whether the end of a task is recorded.
    #[must_use]
    pub fn is_recorded(&self, task: &TaskId) -> bool {
        self.recorded.contains(task)
    }

    /// The bank's hash, once the run is finished.
    #[must_use]
    pub fn finished(&self) -> Option<Digest> {
        self.log.events().iter().find_map(|event| match event {
            RunEvent::Finished { bank } => Some(*bank),
            _ => None,
        })
    }

    /// Records how a unit ended, as one commit. Recording a unit again changes nothing.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a task that the run did not plan, or a result with other attempts than
    /// planned; others when the result cannot be read or the store cannot write.
    pub async fn record(&mut self, unit: &Unit, ended: Ended) -> Result<(), Error> {
        if self.is_recorded(&unit.task) {
            return Ok(());
        }
        let Some(planned) = self.submission.tasks.get(&unit.task) else {
            return Err(self.wrong(format!("the run did not plan task {}", unit.task)));
        };
        let (task, scenario, ability) = (&unit.task, &planned.scenario, &planned.ability);
        let events = match ended {
            Ended::Result(address) => {
                let bytes = blob::get(self.store.as_ref(), "read a result", &address).await?;
                let result = ReferenceResult::decode(&bytes)?;
                if counted(&result) != planned.attempts {
                    let message = format!("the result of task {task} has other attempts than planned");
                    return Err(self.wrong(message));
                }
                result_events(task, scenario, ability, result)
            }
            Ended::GaveUp(class) => vec![RunEvent::GaveUp {
                task: task.clone(),
                scenario: scenario.clone(),
                ability: ability.clone(),
                attempts: planned.attempts.clone(),
                class,
            }],
        };
        self.log.append(events).await?;
        self.recorded.insert(unit.task.clone());
        (self.progress)(Stage::Packet);
        Ok(())
    }

    fn wrong(&self, message: String) -> Error {
        let position = self.log.events().len() as u64;
        Error::Inconsistent { stream: format!("run/{}", self.name), position, message }
    }

    /// Builds the banks and freezes them, once all tasks have ended; after a crash, what is left to do.
    ///
    /// # Errors
    /// [`Error::NotEnded`] when a task has not ended; any other [`Error`] stops the curation and loses
    /// nothing.
    pub async fn finish(mut self, model: Arc<dyn ConstructionModel>) -> Result<FrozenBank, Error> {
        self.all_ended()?;
        let evidence = self.evidence().await?;
        let entries = log::packet_entries(self.log.events());
        let settings = self.submission.run.spec.construction.clone();
        let construction = Arc::new(self.construction(model, &evidence));
        if settings.function_cards {
            (self.progress)(Stage::Functions { total: evidence.len() });
            build_function_bank(&construction, &evidence, &entries).await?;
        }
        if settings.skill_cards {
            (self.progress)(Stage::Curation { total: entries.len() });
            skill_banks(&construction, &entries, &self.held_out()).await?;
        }
        let frozen = freeze(&construction).await?;
        if self.finished().is_none() {
            self.log.append(vec![RunEvent::Finished { bank: frozen.digest() }]).await?;
        }
        Ok(frozen)
    }

    fn all_ended(&self) -> Result<(), Error> {
        let mut open = self.submission.tasks.keys().filter(|task| !self.is_recorded(task));
        match open.next() {
            None => Ok(()),
            Some(first) => Err(Error::NotEnded {
                run: self.name.to_string(),
                open: open.count() + 1,
                first: first.to_string(),
            }),
        }
    }

    /// The evidence of all functions, merged once and then read back.
    async fn evidence(&mut self) -> Result<Vec<FunctionEvidence>, Error> {
        let store = self.store.as_ref();
        if let Some(digest) = log::evidence(self.log.events()) {
            return evidence::load(store, &digest).await;
        }
        let tasks = self.log.events().iter().filter_map(|event| match event {
            RunEvent::PacketBuilt { observations, .. } => Some(*observations),
            _ => None,
        });
        let merged = evidence::merge(store, tasks).await?.evidence();
        let digest = evidence::put(store, &merged).await?;
        self.log.append(vec![RunEvent::PacketsDone { evidence: digest }]).await?;
        Ok(merged)
    }

    fn construction(&self, model: Arc<dyn ConstructionModel>, evidence: &[FunctionEvidence]) -> Construction {
        let submission = &self.submission;
        let observed = evidence.iter().map(|evidence| &evidence.target_tool);
        let known: BTreeSet<FunctionName> = observed.chain(submission.declared.keys()).cloned().collect();
        let sources: BTreeSet<String> = submission
            .tasks
            .values()
            .flat_map(|task| task.attempts.keys())
            .map(SourceId::to_string)
            .collect();
        let progress = self.progress.clone();
        Construction {
            store: self.store.clone(),
            run: self.name.clone(),
            model,
            settings: submission.run.spec.construction.clone(),
            vocabulary: Construction::vocabulary_of(evidence, &known),
            known,
            documentation: submission.declared.clone(),
            source_names: sources.into_iter().collect(),
            concurrency: submission.run.spec.limits.concurrency as usize,
            progress: Arc::new(move |news| {
                progress(match news {
                    Progress::Function => Stage::Function,
                    Progress::Packet(_) => Stage::Curated,
                });
            }),
        }
    }

    fn held_out(&self) -> Vec<HeldOutTask> {
        let task = |task: &super::event::HeldOut| HeldOutTask {
            text: task.text.clone(),
            scenario: task.scenario.clone(),
            ability: task.ability.clone(),
        };
        self.submission.held_out.values().map(task).collect()
    }
}

/// How many attempts of each source a result holds.
fn counted(result: &ReferenceResult) -> BTreeMap<SourceId, u32> {
    let mut counts: BTreeMap<SourceId, u32> = BTreeMap::new();
    for attempt in &result.attempts {
        *counts.entry(attempt.source.clone()).or_default() += 1;
    }
    counts
}

fn result_events(task: &TaskId, scenario: &str, ability: &Ability, result: ReferenceResult) -> Vec<RunEvent> {
    let attempted = result.attempts.into_iter().map(|attempt| RunEvent::Attempted {
        task: task.clone(),
        scenario: scenario.to_owned(),
        ability: ability.clone(),
        source: attempt.source,
        trial: attempt.trial,
        outcome: attempt.outcome,
        trajectory: attempt.trajectory,
    });
    let built = RunEvent::PacketBuilt {
        task: task.clone(),
        scenario: scenario.to_owned(),
        ability: ability.clone(),
        packet: result.packet,
        contrast: result.contrast,
        axes: result.axes,
        observations: result.observations,
    };
    attempted.chain([built]).collect()
}

/// All abilities side by side, one writer each.
async fn skill_banks(
    construction: &Arc<Construction>,
    entries: &[PacketEntry],
    held_out: &[HeldOutTask],
) -> Result<(), Error> {
    let mut by_ability: BTreeMap<Ability, Vec<PacketEntry>> = BTreeMap::new();
    for entry in entries {
        by_ability.entry(entry.ability.clone()).or_default().push(entry.clone());
    }
    let held_out: Arc<[HeldOutTask]> = held_out.into();
    let banks = by_ability.into_iter().map(|(ability, packets)| {
        let (construction, held_out) = (construction.clone(), held_out.clone());
        let work = AbortOnDropHandle::new(tasks::spawn("skill bank", async move {
            build_skill_bank(&construction, &ability, &packets, &held_out).await
        }));
        async move {
            work.await.unwrap_or_else(|stopped| {
                Err(Error::Inconsistent {
                    stream: "skill bank".to_owned(),
                    position: 0,
                    message: stopped.to_string(),
                })
            })
        }
    });
    // A bank that fails does not cut the others' calls off: they are paid, and their answers are kept.
    join_all(banks).await.into_iter().collect()
}
