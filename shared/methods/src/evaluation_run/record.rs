//! The record of an evaluation on the coordinator: the one writer of its stream.
//!
//! Episodes may end in any order; they are recorded in the order of their units, so that nothing about
//! the stream or the report depends on who was fast. Every step can be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Digest, FailureClass, NanoUsd, Outcome, RunName, Unit};
use palaestra_evaluation::RoleSpend;
use palaestra_models::Ledger;
use palaestra_store::{Store, StreamName, append_json};

use super::artefact::Artefact;
use super::event::{EVALUATION_EVENT_FORMAT, EpisodeRecord, EvaluationEvent};
use super::result::{EpisodeResult, Shown};
use super::submission::EvaluationSubmission;
use super::unit_input::EpisodeInput;
use super::view::{read, stream};
use crate::contramem::error::Error;
use crate::contramem::run::{Ended, Identity, OnStage, Stage, blob};

/// The record of one evaluation.
pub struct Evaluation {
    store: Arc<dyn Store>,
    name: RunName,
    submission: EvaluationSubmission,
    stream: StreamName,
    events: Vec<EvaluationEvent>,
    recorded: BTreeSet<u32>,
    progress: OnStage,
}

impl Evaluation {
    /// Opens a run, new or not. As long as no episode has ended, another submission takes its place.
    ///
    /// # Errors
    /// [`Error::OtherIdentity`] when the store holds a run of this name that would have other numbers;
    /// others when the store fails, or holds a run of another format.
    pub async fn open(
        store: Arc<dyn Store>,
        name: &RunName,
        submission: EvaluationSubmission,
        progress: OnStage,
    ) -> Result<Self, Error> {
        let stream = stream(name)?;
        let events = read(store.as_ref(), &stream).await?;
        let recorded = events.iter().filter_map(|event| match event {
            EvaluationEvent::Ended { unit, .. } => Some(*unit),
            EvaluationEvent::Started { .. } | EvaluationEvent::Finished { .. } => None,
        });
        let recorded = recorded.collect();
        let mut evaluation =
            Self { store, name: name.clone(), submission, stream, events, recorded, progress };
        evaluation.start().await?;
        let total = usize::try_from(evaluation.planned()).unwrap_or(usize::MAX);
        let open = total.saturating_sub(evaluation.recorded.len());
        (evaluation.progress)(Stage::Packets { total: open });
        Ok(evaluation)
    }

    async fn start(&mut self) -> Result<(), Error> {
        let submission = &self.submission;
        let started = self.events.iter().rev().find_map(|event| match event {
            EvaluationEvent::Started { identity, basis, .. } => Some((*identity, basis)),
            _ => None,
        });
        if let Some((identity, basis)) = started {
            if identity == submission.identity {
                return Ok(());
            }
            if !self.recorded.is_empty() {
                let ours = Identity { digest: submission.identity, basis: submission.basis.clone() };
                let differences = ours.differences(basis);
                return Err(Error::OtherIdentity { run: self.name.to_string(), differences });
            }
        }
        let conditions = submission.run.spec.conditions.iter().map(|condition| condition.name.clone());
        let event = EvaluationEvent::Started {
            format: EVALUATION_EVENT_FORMAT,
            program: submission.program.clone(),
            identity: submission.identity,
            basis: submission.basis.clone(),
            conditions: conditions.collect(),
            facts: submission.facts(),
            planned: self.planned(),
        };
        self.append(event).await
    }

    /// How many episodes there will be.
    fn planned(&self) -> u32 {
        let spec = &self.submission.run.spec;
        let arms = self.submission.tasks.len() * spec.targets.len() * spec.conditions.len();
        u32::try_from(arms).unwrap_or(u32::MAX).saturating_mul(spec.repeats)
    }

    /// Whether the end of the unit in this place is recorded.
    #[must_use]
    pub fn is_recorded(&self, place: u32) -> bool {
        self.recorded.contains(&place)
    }

    /// The address of the report's basis, once the run is finished.
    #[must_use]
    pub fn finished(&self) -> Option<Digest> {
        self.events.iter().find_map(|event| match event {
            EvaluationEvent::Finished { report } => Some(*report),
            _ => None,
        })
    }

    /// Records how the unit in this place ended. Recording it again changes nothing.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] for a task or target that the run did not plan; others when the result
    /// cannot be read or the store cannot write.
    pub async fn record(&mut self, place: u32, unit: &Unit, ended: Ended) -> Result<(), Error> {
        if self.recorded.contains(&place) {
            return Ok(());
        }
        let episode = Box::new(self.episode(place, unit, ended).await?);
        self.append(EvaluationEvent::Ended { unit: place, episode }).await?;
        self.recorded.insert(place);
        (self.progress)(Stage::Packet);
        Ok(())
    }

    async fn episode(&self, place: u32, unit: &Unit, ended: Ended) -> Result<EpisodeRecord, Error> {
        let store = self.store.as_ref();
        let input = EpisodeInput::load(store, unit.input).await?;
        let target = usize::try_from(input.target).unwrap_or(usize::MAX);
        let planned = self.submission.tasks.get(&unit.task);
        let (Some(planned), Some(target)) = (planned, self.submission.run.spec.targets.get(target)) else {
            return Err(Error::Inconsistent {
                stream: self.stream.to_string(),
                position: self.events.len() as u64,
                message: format!("the run did not plan unit {place}, task {}", unit.task),
            });
        };
        let mut record = EpisodeRecord {
            task: unit.task.clone(),
            scenario: planned.scenario.clone(),
            ability: planned.ability.clone(),
            order_dependent: planned.order_dependent,
            target: target.source()?,
            condition: input.condition,
            repeat: input.repeat,
            seed: input.seed,
            outcome: Outcome::NoResult { reason: String::new() },
            trajectory: None,
            events: 0,
            agent_events: 0,
            writes: 0,
            shown: Shown::default(),
            roles: self.roles(place).await?,
        };
        match ended {
            Ended::GaveUp(class) => record.outcome = given_up(class),
            Ended::Result(address) => {
                let bytes = blob::get(store, "read a result", &address).await?;
                let result = EpisodeResult::decode(&bytes)?;
                record.outcome = result.outcome;
                record.trajectory = Some(result.trajectory);
                record.shown = result.shown;
                (record.events, record.agent_events, record.writes) =
                    (result.events, result.agent_events, result.writes);
            }
        }
        Ok(record)
    }

    /// What each role bought in a unit, by the journal.
    async fn roles(&self, place: u32) -> Result<BTreeMap<String, RoleSpend>, Error> {
        let scope = Self::scope(&self.name, place);
        let failed = |source| Error::Model { scope: scope.clone(), source: Box::new(source) };
        let ledger = Ledger::read(Arc::clone(&self.store), &format!("{scope}/")).await.map_err(failed)?;
        let mut roles: BTreeMap<String, RoleSpend> = BTreeMap::new();
        for line in ledger.lines {
            let priced = line.unpriced_calls == 0;
            let first = RoleSpend { cost: Some(NanoUsd::default()), ..RoleSpend::default() };
            let spend = roles.entry(line.role).or_insert(first);
            spend.calls = spend.calls.saturating_add(line.calls);
            spend.usage = spend.usage.plus(line.usage);
            spend.cost = spend.cost.filter(|_| priced).map(|cost| cost.saturating_add(line.cost));
        }
        Ok(roles)
    }

    /// Where the calls of a unit stand in the journal: each unit has a scope of its own, since the same
    /// target attempts the same task under every condition.
    #[must_use]
    pub fn scope(run: &RunName, place: u32) -> String {
        format!("run/{run}/unit/{place}")
    }

    /// Keeps the report's basis once all episodes have ended.
    ///
    /// # Errors
    /// [`Error::NotEnded`] when an episode has not ended; [`Error::Report`] when they contradict each
    /// other; [`Error::Store`].
    pub async fn finish(mut self) -> Result<Digest, Error> {
        if let Some(report) = self.finished() {
            return Ok(report);
        }
        let mut open = (0..self.planned()).filter(|place| !self.recorded.contains(place));
        if let Some(first) = open.next() {
            let (run, open) = (self.name.to_string(), open.count() + 1);
            return Err(Error::NotEnded { run, open, first: format!("unit {first}") });
        }
        let nothing = || Error::Unreadable { what: "evaluation", message: "it never began".to_owned() };
        let artefact = Artefact::of(&self.name, &self.events).ok_or_else(nothing)?;
        // A run that cannot be reported on is not finished.
        super::tables::report(&artefact)?;
        let bytes = artefact.encode()?;
        let report = blob::put(self.store.as_ref(), "write the report", self.name.as_str(), &bytes).await?;
        self.append(EvaluationEvent::Finished { report }).await?;
        Ok(report)
    }

    async fn append(&mut self, event: EvaluationEvent) -> Result<(), Error> {
        let expected = self.events.len() as u64;
        let events = vec![event];
        append_json(self.store.as_ref(), &self.stream, expected, &events).await.map_err(|source| {
            Error::Store { action: "append to", stream: self.stream.to_string(), source }
        })?;
        self.events.extend(events);
        Ok(())
    }
}

/// The outcome of an episode whose retries ran out.
fn given_up(class: Option<FailureClass>) -> Outcome {
    let (class, reason) = match class {
        Some(FailureClass::Infrastructure) => {
            (UnresolvedClass::Infrastructure, "the environment or the machine failed")
        }
        Some(FailureClass::Preemption) => (UnresolvedClass::Preempted, "its workers were taken away"),
        Some(FailureClass::Provider) => (UnresolvedClass::Provider, "the model's provider failed"),
        Some(FailureClass::Model) => (UnresolvedClass::Provider, "the model's answers could not be used"),
        Some(FailureClass::Budget) => (UnresolvedClass::Budget, "the budget was used up"),
        None => (UnresolvedClass::Preempted, "the run was cancelled"),
    };
    Outcome::Unresolved { class, reason: format!("{reason}, and its retries ran out") }
}
