//! What every step of a construction needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palaestra_domain::placeholder::Placeholder;
use palaestra_domain::run_file::spec::ConstructionSpec;
use palaestra_domain::{Ability, Digest, FunctionEvidence, FunctionName, Profile, RunName, TaskId};
use palaestra_memory::history::PacketRef;
use palaestra_memory::retrieve::RetrievalParams;
use palaestra_memory::validate::{PrivacyRules, PrivacySources, ScenarioValues};
use palaestra_store::Store;

use super::super::error::Error;
use super::super::model::ConstructionModel;
use super::super::stored_packet::{STORED_PACKET_FORMAT, StoredPacket};

/// One packet of the run, in curriculum order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketEntry {
    /// The task.
    pub task: TaskId,
    /// Its scenario.
    pub scenario: String,
    /// The bank that it feeds.
    pub ability: Ability,
    /// Where the packet rests.
    pub digest: Digest,
}

impl PacketEntry {
    pub(super) fn reference(&self) -> PacketRef {
        PacketRef { digest: self.digest, task: self.task.clone(), scenario: self.scenario.clone() }
    }
}

/// News for whoever watches a construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A Function Card was decided.
    Function,
    /// A packet was curated.
    Packet(Ability),
}

/// The fixed surroundings of one construction.
pub struct Construction {
    /// The run's durable state.
    pub store: Arc<dyn Store>,
    /// The run.
    pub run: RunName,
    /// Who builds, reflects and curates.
    pub model: Arc<dyn ConstructionModel>,
    /// The run file's choices.
    pub settings: ConstructionSpec,
    /// Functions that the environment has (or that recordings show it to have).
    pub known: BTreeSet<FunctionName>,
    /// What agents can read about each function at any time; used by the `code-cells` profile.
    pub documentation: BTreeMap<FunctionName, String>,
    /// Words of the interface that are never private: functions, arguments, enum values.
    pub vocabulary: BTreeSet<String>,
    /// Names of sources and models, which must not reach a card.
    pub source_names: Vec<String>,
    /// Function Cards that are asked for at a time.
    pub concurrency: usize,
    /// Called on every commit.
    pub progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

impl Construction {
    /// Words of the interface: functions, arguments and enum values of all evidence.
    #[must_use]
    pub fn vocabulary_of(evidence: &[FunctionEvidence], known: &BTreeSet<FunctionName>) -> BTreeSet<String> {
        let mut words: BTreeSet<String> = known
            .iter()
            .flat_map(|f| [f.as_str().to_owned(), f.app().to_owned(), f.function().to_owned()])
            .collect();
        for (key, argument) in evidence.iter().flat_map(|e| &e.stats.arguments) {
            words.insert(key.clone());
            words.extend(argument.enum_values.iter().cloned());
        }
        words
    }

    /// The documentation that a card may only add to (appendix B.7); none in the other profile.
    #[must_use]
    pub fn documentation_of(&self, function: &FunctionName) -> Option<&str> {
        let wanted = self.settings.profile == Profile::CodeCells;
        self.documentation.get(function).filter(|_| wanted).map(String::as_str)
    }

    pub(super) fn params(&self) -> RetrievalParams {
        RetrievalParams::default()
    }

    /// A packet's bytes as a packet.
    pub(super) async fn load(&self, entry: &PacketEntry) -> Result<StoredPacket, Error> {
        load_packet(self.store.as_ref(), &entry.digest).await
    }

    /// The privacy rules of one packet (level 2 of Π_V).
    pub(super) fn privacy(&self, stored: &StoredPacket) -> Result<PrivacyRules, Error> {
        let identity = &stored.packet.identity;
        let names: Vec<&str> = self.source_names.iter().map(String::as_str).collect();
        let identities = [identity.task.as_str(), identity.scenario.as_str()];
        let prose: Vec<&str> = stored.judge_prose.iter().map(String::as_str).collect();
        let sources = PrivacySources { names: &names, identities: &identities, judge_prose: &prose };
        let values =
            self.scenario_values(stored.values.iter().map(|(value, kind)| (value.as_str(), *kind)))?;
        PrivacyRules::new(values, &sources, &self.vocabulary).map_err(|error| self.broken(&error))
    }

    pub(super) fn scenario_values<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v str, Placeholder)>,
    ) -> Result<ScenarioValues, Error> {
        ScenarioValues::new(values, &self.vocabulary).map_err(|error| self.broken(&error))
    }

    pub(super) fn broken(&self, error: &palaestra_memory::Error) -> Error {
        Error::Inconsistent { stream: self.run.to_string(), position: 0, message: error.to_string() }
    }
}

/// Reads a stored packet.
///
/// # Errors
/// When the blob is missing or torn, or was written by a newer program.
pub async fn load_packet(store: &dyn Store, digest: &Digest) -> Result<StoredPacket, Error> {
    let bytes = store.blob_get(*digest).await.map_err(|source| Error::Store {
        action: "read a packet",
        stream: digest.to_string(),
        source,
    })?;
    let unreadable =
        |message: String| Error::Inconsistent { stream: format!("packet {digest}"), position: 0, message };
    let stored: StoredPacket =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    if stored.format > STORED_PACKET_FORMAT {
        let message = format!(
            "it was written by a newer palaestra; format {}, this program knows {STORED_PACKET_FORMAT}",
            stored.format
        );
        return Err(unreadable(message));
    }
    Ok(stored)
}
