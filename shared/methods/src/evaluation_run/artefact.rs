//! The basis of a report: every episode with what the numbers depend on. It rests as a blob whose
//! digest stands for the finished run, and tells nothing of time: the same episodes give the same bytes.

use palaestra_domain::{ConditionName, Digest, RunName};
use serde::{Deserialize, Serialize};

use super::event::{EpisodeRecord, EvaluationEvent};
use crate::contramem::error::Error;
use crate::contramem::run::blob;

/// The version of the stored form.
pub const ARTEFACT_FORMAT: u32 = 1;

/// What it is called in errors.
const WHAT: &str = "report of an evaluation";

/// Everything that a report says, before it is put into words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artefact {
    /// [`ARTEFACT_FORMAT`] of the writer.
    pub format: u32,
    /// The run.
    pub run: RunName,
    /// The digest of everything that the numbers depend on.
    pub identity: Digest,
    /// The conditions in the order to print, the baseline first.
    pub conditions: Vec<ConditionName>,
    /// What the numbers depend on, for people.
    pub facts: Vec<(String, String)>,
    /// How many episodes there are once all have ended.
    pub planned: u32,
    /// The episodes that have ended, in the order of their units.
    pub episodes: Vec<EpisodeRecord>,
}

impl Artefact {
    /// What the events of a run come to; none before it began.
    #[must_use]
    pub fn of(run: &RunName, events: &[EvaluationEvent]) -> Option<Self> {
        let begun = events.iter().rposition(|event| matches!(event, EvaluationEvent::Started { .. }))?;
        let (started, rest) = events.get(begun..)?.split_first()?;
        let EvaluationEvent::Started { identity, conditions, facts, planned, .. } = started else {
            return None;
        };
        let episode = |event: &EvaluationEvent| match event {
            EvaluationEvent::Ended { episode, .. } => Some((**episode).clone()),
            EvaluationEvent::Started { .. } | EvaluationEvent::Finished { .. } => None,
        };
        Some(Self {
            format: ARTEFACT_FORMAT,
            run: run.clone(),
            identity: *identity,
            conditions: conditions.clone(),
            facts: facts.clone(),
            planned: *planned,
            episodes: rest.iter().filter_map(episode).collect(),
        })
    }

    /// The artefact as it rests.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        blob::encode(WHAT, self)
    }

    /// Reads an artefact.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when it is not one, or of another program's format.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        blob::decode(WHAT, ARTEFACT_FORMAT, bytes)
    }

    /// How many episodes infrastructure kept from an end.
    #[must_use]
    pub fn unresolved(&self) -> usize {
        self.episodes.iter().filter(|episode| !episode.outcome.resolved()).count()
    }
}
