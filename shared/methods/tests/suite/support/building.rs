//! A construction over packets of small tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::try_join_all;
use palaestra_domain::run_file::spec::ConstructionSpec;
use palaestra_domain::{Ability, FunctionEvidence, RunName, Trajectory, canonical};
use palaestra_memory::BankEvent;
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::construct::{
    Construction, PacketEntry, build_function_bank, build_skill_bank, freeze, history,
};
use palaestra_methods::contramem::curriculum;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::function_observation::Observations;
use palaestra_methods::contramem::model::ConstructionModel;
use palaestra_methods::contramem::stored_packet::contrast;
use palaestra_store::{SqliteStore, Store};

use super::attempts::{Attempt, trajectories};
use super::cases::{KINDS, REQUEST, case};

pub(crate) fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in_memory().unwrap())
}

/// What a construction starts from.
pub(crate) struct Material {
    pub(crate) entries: Vec<PacketEntry>,
    pub(crate) evidence: Vec<FunctionEvidence>,
    sources: BTreeSet<String>,
}

impl Material {
    /// Packets and evidence of some tasks, which stand in their order.
    pub(crate) async fn new(store: &dyn Store, tasks: &[Vec<Trajectory>]) -> Self {
        let mut observations = Observations::default();
        let (mut entries, mut sources) = (Vec::new(), BTreeSet::new());
        for attempts in tasks {
            let task = &attempts[0].task;
            let ability = curriculum::ability_of(task, None);
            let (stored, seen) = contrast(attempts, &ability).unwrap();
            observations = observations.merge(seen);
            sources.extend(attempts.iter().map(|attempt| attempt.source.to_string()));
            let text = canonical::to_json("packet", &stored).unwrap();
            let digest = store.blob_put(text.as_bytes()).await.unwrap();
            entries.push(PacketEntry {
                task: task.id.clone(),
                scenario: task.scenario.clone(),
                ability,
                digest,
            });
        }
        Self { entries, evidence: observations.evidence(), sources }
    }

    pub(crate) fn construction(
        &self,
        store: Arc<dyn Store>,
        model: Arc<dyn ConstructionModel>,
        settings: ConstructionSpec,
    ) -> Construction {
        let known: BTreeSet<_> = self.evidence.iter().map(|evidence| evidence.target_tool.clone()).collect();
        Construction {
            store,
            run: RunName::new("test").unwrap(),
            model,
            settings,
            vocabulary: Construction::vocabulary_of(&self.evidence, &known),
            known,
            documentation: BTreeMap::new(),
            source_names: self.sources.iter().cloned().collect(),
            concurrency: 2,
            progress: Arc::new(|_| ()),
        }
    }

    pub(crate) fn by_ability(&self) -> BTreeMap<Ability, Vec<PacketEntry>> {
        let mut all: BTreeMap<Ability, Vec<PacketEntry>> = BTreeMap::new();
        for entry in &self.entries {
            all.entry(entry.ability.clone()).or_default().push(entry.clone());
        }
        all
    }
}

/// Functions, then all abilities side by side, then the freeze.
pub(crate) async fn build(construction: &Construction, material: &Material) -> Result<FrozenBank, Error> {
    build_function_bank(construction, &material.evidence, &material.entries).await?;
    let abilities = material.by_ability();
    let banks =
        abilities.iter().map(|(ability, packets)| build_skill_bank(construction, ability, packets, &[]));
    try_join_all(banks).await?;
    freeze(construction).await
}

pub(crate) async fn events(construction: &Construction) -> Vec<BankEvent> {
    history(construction.store.as_ref(), &construction.run).await.unwrap()
}

/// A task of every kind of difference for each of two abilities.
pub(crate) fn two_abilities() -> Vec<Vec<Trajectory>> {
    let task = |ability: &str, number: usize, attempts: Vec<Attempt>| {
        let id = format!("shop/{ability}/{number}");
        trajectories(attempts.into_iter().map(|attempt| attempt.task(&id, REQUEST)))
    };
    let orders = KINDS.iter().enumerate().map(|(number, kind)| task("orders", number, case(*kind)));
    let returns = KINDS.iter().rev().enumerate().map(|(number, kind)| task("returns", number, case(*kind)));
    orders.chain(returns).collect()
}
