//! `palaestra plan`: what a run would do, before anything is spent.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use palaestra_domain::run_file::spec::{Curation, EnvironmentName, SourceSpec};
use palaestra_domain::task::Split;
use palaestra_domain::{NanoUsd, TaskId, TokenUsage};
use palaestra_environments::Worlds;
use palaestra_environments::recorded::{self, ImportOptions};
use palaestra_methods::contramem::run::input_of;
use palaestra_models::PriceTable;
use palaestra_runtime::Exit;
use serde::Serialize;

use super::plan_evaluation;
use crate::args::StoreArgs;
use crate::exit::InvalidInput;
use crate::output::Printer;
use crate::run::job::{self, Job};
use crate::run::prepare::Prepared;
use crate::state;

/// Tokens of one question in the paper's Search build: about 1.44 M over 114 skill calls and about
/// 0.50 M over 74 function calls (ContraMem, table A7). An estimate of scale, not a promise.
const SKILL_CALL_TOKENS: u64 = 12_600;
const FUNCTION_CALL_TOKENS: u64 = 6_800;
/// Share of these that the model writes, for the cost estimate.
const OUTPUT_SHARE: u64 = 8;

#[derive(Serialize)]
struct Plan {
    run: String,
    reference_tasks: usize,
    held_out_tasks: usize,
    attempts: usize,
    /// Attempts of live models, which cost what they cost: nothing here estimates it.
    live_attempts: usize,
    sources: BTreeSet<String>,
    functions: usize,
    construction_model: String,
    /// Most calls of each role; the built-in miner makes none.
    most_calls: Calls,
    estimated_tokens: u64,
    estimated_cost: Option<NanoUsd>,
    refused: usize,
}

#[derive(Serialize)]
struct Calls {
    function_card_builder: usize,
    reflector: usize,
    curator: usize,
}

/// Attempts, tasks, sources and functions.
struct Extent {
    tasks: BTreeSet<TaskId>,
    held_out: usize,
    attempts: usize,
    sources: BTreeSet<String>,
    functions: BTreeSet<String>,
    refused: usize,
}

/// Prints what a run would do.
///
/// # Errors
/// When the run file or a recording cannot be read.
pub fn plan(printer: &Printer, file: &Path, store: &StoreArgs) -> Result<Exit> {
    for job in job::read_checked(file)? {
        match job {
            Job::Construction(prepared) => construction(printer, &prepared)?,
            Job::Evaluation(prepared) => {
                let work = plan_evaluation::plan(&prepared, store);
                let plan = state::runtime(Some(1))?.block_on(work)?;
                printer.data(&plan, || plan.human())?;
            }
        }
    }
    Ok(Exit::Success)
}

fn construction(printer: &Printer, prepared: &Prepared) -> Result<()> {
    let extent = match prepared.run.spec.environment.name {
        EnvironmentName::Recorded => recorded_extent(prepared)?,
        _ => state::runtime(Some(1))?.block_on(world_extent(prepared))?,
    };
    if extent.attempts == 0 {
        let message = "no attempt is left; look at `taskPrefixes` and `only`".to_owned();
        return Err(InvalidInput(message).into());
    }
    let plan = priced(prepared, extent)?;
    printer.data(&plan, || human(&plan))?;
    Ok(())
}

async fn world_extent(prepared: &Prepared) -> Result<Extent> {
    let spec = &prepared.run.spec;
    let prefixes = &spec.environment.task_prefixes;
    let wanted =
        |id: &TaskId| prefixes.is_empty() || prefixes.iter().any(|prefix| id.as_str().starts_with(prefix));
    let mut world = Worlds::from_environment()?.look_at(spec.environment.name)?;
    let (instances, seed) = (spec.environment.instances, spec.environment.seed);
    let reference = world.tasks(Split::Reference, instances, seed).await?;
    let held_out = world.tasks(Split::HeldOut, instances, seed).await?;
    let reference: BTreeSet<TaskId> = reference.into_iter().map(|task| task.id).filter(wanted).collect();
    let trials: usize = spec.sources.iter().map(|source| source.trials.unwrap_or(1) as usize).sum();
    Ok(Extent {
        attempts: reference.len() * trials,
        tasks: reference,
        held_out: held_out.into_iter().filter(|task| wanted(&task.id)).count(),
        sources: spec.sources.iter().filter_map(source_name).collect(),
        functions: world.describe().await?.tools.into_iter().map(|tool| tool.name.to_string()).collect(),
        refused: 0,
    })
}

fn source_name(source: &SourceSpec) -> Option<String> {
    source.scripted.clone().or_else(|| source.model.as_ref().map(ToString::to_string))
}

fn recorded_extent(prepared: &Prepared) -> Result<Extent> {
    use palaestra_domain::trajectory::{EventBody, EventSource};
    let mut extent = Extent {
        tasks: BTreeSet::new(),
        held_out: 0,
        attempts: 0,
        sources: BTreeSet::new(),
        functions: BTreeSet::new(),
        refused: 0,
    };
    for source in &prepared.run.spec.sources {
        let options = ImportOptions { pass_threshold: source.pass_threshold, ability: None };
        let imported = recorded::import_each(&[input_of(&prepared.base, source)?], &options, |trajectory| {
            let calls = trajectory.events.iter().filter(|event| event.source == EventSource::Agent);
            let functions: BTreeSet<String> = calls
                .filter_map(|event| match &event.body {
                    EventBody::Call { function, unknown: false, .. } => Some(function.to_string()),
                    _ => None,
                })
                .collect();
            (trajectory.task.id, trajectory.source.to_string(), functions)
        })?;
        extent.refused += imported.refused.len();
        let wanted = |task: &TaskId, name: &str| {
            let prefixes = &prepared.run.spec.environment.task_prefixes;
            (prefixes.is_empty() || prefixes.iter().any(|prefix| task.as_str().starts_with(prefix)))
                && (source.only.is_empty() || source.only.iter().any(|only| only.as_str() == name))
        };
        for (task, name, functions) in
            imported.trajectories.into_iter().filter(|(task, name, _)| wanted(task, name))
        {
            extent.attempts += 1;
            extent.tasks.insert(task);
            extent.sources.insert(name);
            extent.functions.extend(functions);
        }
    }
    Ok(extent)
}

fn priced(prepared: &Prepared, extent: Extent) -> Result<Plan> {
    let construction = &prepared.run.spec.construction;
    let builtin = construction.model.provider == "builtin";
    let skills = construction.skill_cards && !builtin;
    let reflector = if skills { extent.tasks.len() } else { 0 };
    let curated = skills && construction.curation == Curation::Localized;
    let curator = if curated { extent.tasks.len() * construction.max_deltas } else { 0 };
    let builder = if construction.function_cards && !builtin { extent.functions.len() } else { 0 };
    let tokens = (reflector + curator) as u64 * SKILL_CALL_TOKENS + builder as u64 * FUNCTION_CALL_TOKENS;
    let price = PriceTable::embedded()?.get(&construction.model.model);
    let output = tokens / OUTPUT_SHARE;
    let usage = TokenUsage { input: tokens - output, output, ..TokenUsage::default() };
    let live = prepared.run.spec.sources.iter().filter(|source| source.live_model().is_some());
    let live_trials: usize = live.map(|source| source.trials.unwrap_or(1) as usize).sum();
    Ok(Plan {
        run: prepared.run.metadata.name.to_string(),
        reference_tasks: extent.tasks.len(),
        held_out_tasks: extent.held_out,
        attempts: extent.attempts,
        live_attempts: extent.tasks.len() * live_trials,
        sources: extent.sources,
        functions: extent.functions.len(),
        construction_model: construction.model.to_string(),
        most_calls: Calls { function_card_builder: builder, reflector, curator },
        estimated_tokens: tokens,
        estimated_cost: price.filter(|_| !builtin).map(|price| price.cost(usage)),
        refused: extent.refused,
    })
}

fn human(plan: &Plan) -> String {
    let sources: Vec<&str> = plan.sources.iter().map(String::as_str).collect();
    let cost = match plan.estimated_cost {
        _ if plan.estimated_tokens == 0 && plan.live_attempts > 0 => "construction calls no model".to_owned(),
        _ if plan.estimated_tokens == 0 => "nothing: no model is called".to_owned(),
        Some(cost) => format!("about {cost} for about {} tokens", plan.estimated_tokens),
        None => format!("about {} tokens; the model has no price in the table", plan.estimated_tokens),
    };
    let live = match plan.live_attempts {
        0 => String::new(),
        count => format!("; what {count} live attempts cost is not estimated: bound it by `budget`"),
    };
    let calls = &plan.most_calls;
    let refused = if plan.refused > 0 {
        format!("\n{} records would be refused; `palaestra import` says why", plan.refused)
    } else {
        String::new()
    };
    format!(
        "run {}\n  {} attempts by {} at {} reference tasks, {} held-out tasks\n  {} functions\n  construction by {}: at most {} builder, {} reflector and {} curator calls\n  cost: {cost}{live}{refused}\n",
        plan.run,
        plan.attempts,
        sources.join(", "),
        plan.reference_tasks,
        plan.held_out_tasks,
        plan.functions,
        plan.construction_model,
        calls.function_card_builder,
        calls.reflector,
        calls.curator,
    )
}
