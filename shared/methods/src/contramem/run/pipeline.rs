//! The stages of a run in order; each does only what is not done yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::try_join_all;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::{Ability, FunctionName};
use palaestra_memory::freeze::FrozenBank;
use palaestra_store::Store;

use super::super::construct::{
    Construction, HeldOutTask, PacketEntry, Progress, build_function_bank, build_skill_bank, freeze,
};
use super::super::error::Error;
use super::super::model::ConstructionModel;
use super::event::RunEvent;
use super::identity::Identity;
use super::log::RunLog;
use super::{attempts, packets};

/// News of a run, for progress bars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Attempts begin; the number where it is known before.
    Attempts {
        /// How many, when known.
        total: Option<usize>,
    },
    /// One attempt is recorded.
    Attempt,
    /// Packets begin.
    Packets {
        /// How many.
        total: usize,
    },
    /// One packet is built.
    Packet,
    /// Function Cards begin.
    Functions {
        /// How many.
        total: usize,
    },
    /// One Function Card is asked for.
    Function,
    /// Curation begins.
    Curation {
        /// How many packets.
        total: usize,
    },
    /// One packet is curated.
    Curated,
}

/// Everything that a run needs.
pub struct Pipeline {
    /// The run file.
    pub run: RunFile,
    /// What the result depends on.
    pub identity: Identity,
    /// The folder that paths of the run file are relative to.
    pub base: std::path::PathBuf,
    /// The run's durable state.
    pub store: Arc<dyn Store>,
    /// Who builds, reflects and curates.
    pub model: Arc<dyn ConstructionModel>,
    /// Tasks that are normalized at a time.
    pub threads: usize,
    /// Called on every step.
    pub progress: Arc<dyn Fn(Stage) + Send + Sync>,
}

/// Runs all stages to the frozen bank; after a crash, what is left of them.
///
/// # Errors
/// [`Error::OtherIdentity`] when the store holds a run of this name with another identity; any
/// other [`Error`] stops the run and loses nothing.
pub async fn run(pipeline: &Pipeline) -> Result<FrozenBank, Error> {
    let name = &pipeline.run.metadata.name;
    let mut log = RunLog::open(pipeline.store.clone(), name).await?;
    start(pipeline, &mut log).await?;
    attempts::record(pipeline, &mut log).await?;
    packets::build(pipeline, &mut log).await?;
    let (construction, evidence) = construction(pipeline, log.events()).await?;
    let entries = packet_entries(log.events());
    let settings = &pipeline.run.spec.construction;
    if settings.function_cards {
        (pipeline.progress)(Stage::Functions { total: evidence.len() });
        build_function_bank(&construction, &evidence, &entries).await?;
    }
    if settings.skill_cards {
        (pipeline.progress)(Stage::Curation { total: entries.len() });
        skill_banks(construction.clone(), &entries, &held_out(log.events())).await?;
    }
    let frozen = freeze(&construction).await?;
    if !log.events().iter().any(|event| matches!(event, RunEvent::Finished { .. })) {
        log.append(vec![RunEvent::Finished { bank: frozen.digest() }]).await?;
    }
    Ok(frozen)
}

/// Checks that the store holds this very run, or writes its start. As long as nothing but a start is
/// recorded, another start takes its place: a slip in a run file must not use up the run's name.
async fn start(pipeline: &Pipeline, log: &mut RunLog) -> Result<(), Error> {
    let identity = &pipeline.identity;
    let mut starts = 0;
    let mut basis = None;
    for event in log.events() {
        if let RunEvent::Started { identity: theirs, basis: of, .. } = event {
            starts += 1;
            if *theirs == identity.digest {
                return Ok(());
            }
            basis = Some(of);
        }
    }
    if let Some(basis) = basis.filter(|_| log.events().len() > starts) {
        return Err(Error::OtherIdentity {
            run: pipeline.run.metadata.name.to_string(),
            differences: identity.differences(basis),
        });
    }
    let not_json = |error: serde_json::Error| palaestra_domain::DomainError::NotCanonical {
        what: "run file",
        message: error.to_string(),
    };
    let spec = serde_json::to_value(&pipeline.run).map_err(not_json)?;
    log.append(vec![RunEvent::Started {
        format: super::event::RUN_EVENT_FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        identity: identity.digest,
        basis: identity.basis.clone(),
        spec,
    }])
    .await
}

async fn construction(
    pipeline: &Pipeline,
    events: &[RunEvent],
) -> Result<(Arc<Construction>, Vec<palaestra_domain::FunctionEvidence>), Error> {
    let digest = events.iter().find_map(|event| match event {
        RunEvent::PacketsDone { evidence } => Some(*evidence),
        _ => None,
    });
    let evidence = match digest {
        Some(digest) => packets::load_evidence(pipeline.store.as_ref(), &digest).await?,
        None => Vec::new(),
    };
    let mut known: BTreeSet<FunctionName> = evidence.iter().map(|e| e.target_tool.clone()).collect();
    let mut sources: BTreeSet<String> = BTreeSet::new();
    let mut documentation: BTreeMap<FunctionName, String> = BTreeMap::new();
    for event in events {
        match event {
            RunEvent::Attempted { source, .. } => drop(sources.insert(source.to_string())),
            RunEvent::AttemptsDone { declared, .. } => {
                known.extend(declared.keys().cloned());
                documentation.extend(declared.clone());
            }
            _ => {}
        }
    }
    let progress = pipeline.progress.clone();
    let construction = Construction {
        store: pipeline.store.clone(),
        run: pipeline.run.metadata.name.clone(),
        model: pipeline.model.clone(),
        settings: pipeline.run.spec.construction.clone(),
        vocabulary: Construction::vocabulary_of(&evidence, &known),
        known,
        documentation,
        source_names: sources.into_iter().collect(),
        concurrency: pipeline.run.spec.limits.concurrency as usize,
        progress: Arc::new(move |news| {
            progress(match news {
                Progress::Function => Stage::Function,
                Progress::Packet(_) => Stage::Curated,
            });
        }),
    };
    Ok((Arc::new(construction), evidence))
}

/// The run's packets in curriculum order, which is the order in which they were committed.
pub(super) fn packet_entries(events: &[RunEvent]) -> Vec<PacketEntry> {
    let entry = |event: &RunEvent| match event {
        RunEvent::PacketBuilt { task, scenario, ability, packet, .. } => Some(PacketEntry {
            task: task.clone(),
            scenario: scenario.clone(),
            ability: ability.clone(),
            digest: *packet,
        }),
        _ => None,
    };
    events.iter().filter_map(entry).collect()
}

fn held_out(events: &[RunEvent]) -> Vec<HeldOutTask> {
    let tasks = events.iter().filter_map(|event| match event {
        RunEvent::AttemptsDone { held_out, .. } => Some(held_out.values()),
        _ => None,
    });
    tasks
        .flatten()
        .map(|task| HeldOutTask {
            text: task.text.clone(),
            scenario: task.scenario.clone(),
            ability: task.ability.clone(),
        })
        .collect()
}

/// All abilities side by side, one writer each.
async fn skill_banks(
    construction: Arc<Construction>,
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
        let work = palaestra_runtime::tasks::spawn("skill bank", async move {
            build_skill_bank(&construction, &ability, &packets, &held_out).await
        });
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
    try_join_all(banks).await.map(drop)
}
