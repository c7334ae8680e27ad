//! `palaestra doctor`: is everything here that a run needs?

use std::path::Path;

use anyhow::Result;
use palaestra_domain::run_file::ModelRef;
use palaestra_domain::run_file::spec::{BudgetSpec, ProviderSpec};
use palaestra_models::secrets::KeySource;
use palaestra_models::{ModelSettings, PriceTable};
use palaestra_runtime::Exit;
use palaestra_store::SqliteStore;
use serde::Serialize;

use super::env;
use crate::output::Printer;
use crate::run::job::{self, Job, PreparedEvaluation};
use crate::run::prepare::Prepared;

#[derive(Serialize)]
struct Check {
    what: String,
    ok: bool,
    detail: String,
}

impl Check {
    fn new(what: impl Into<String>, result: Result<String, String>) -> Self {
        let ok = result.is_ok();
        Self { what: what.into(), ok, detail: result.unwrap_or_else(|error| error) }
    }
}

/// Checks this machine, and a run file where one is named.
///
/// # Errors
/// When the answer cannot be printed; a failed check is part of the answer and of the exit code.
pub fn doctor(printer: &Printer, file: Option<&Path>) -> Result<Exit> {
    let mut checks = vec![store(), prices(), Check::new("containers", env::engine())];
    if let Some(file) = file {
        checks.extend(run_file(file));
    }
    printer.data(&checks, || {
        let line = |check: &Check| {
            let mark = if check.ok { "ok     " } else { "missing" };
            format!("{mark}  {}: {}", check.what, check.detail)
        };
        checks.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(if checks.iter().all(|check| check.ok) { Exit::Success } else { Exit::InvalidInput })
}

/// A store can be made here: the folder is writable and the disk has room.
fn store() -> Check {
    let path = Path::new(".palaestra").join("doctor.sqlite");
    let made = std::fs::create_dir_all(".palaestra").map_err(|error| error.to_string());
    let opened = made.and_then(|()| SqliteStore::open(&path).map(drop).map_err(|error| error.to_string()));
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let mut name = path.clone().into_os_string();
        name.push(suffix);
        // What is not there needs no removing.
        drop(std::fs::remove_file(name));
    }
    Check::new("run state", opened.map(|()| "a store can be made in .palaestra/".to_owned()))
}

fn prices() -> Check {
    let table = PriceTable::embedded().map(|table| format!("of {}", table.date()));
    Check::new("price table", table.map_err(|error| error.to_string()))
}

fn run_file(file: &Path) -> Vec<Check> {
    let jobs = match job::read(file) {
        Ok(jobs) => jobs,
        Err(error) => return vec![Check::new("run file", Err(error.to_string()))],
    };
    let mut checks = vec![Check::new("run file", Ok(file.display().to_string()))];
    for job in &jobs {
        match job {
            Job::Construction(prepared) => construction(prepared, &mut checks),
            Job::Evaluation(prepared) => evaluation(prepared, &mut checks),
        }
    }
    checks
}

fn construction(prepared: &Prepared, checks: &mut Vec<Check>) {
    for source in &prepared.run.spec.sources {
        if let Some(path) = &source.recorded {
            let found = std::fs::metadata(prepared.base.join(path)).map(|_| "found".to_owned());
            checks.push(Check::new(format!("recording {path}"), found.map_err(|error| error.to_string())));
        }
    }
    let spec = &prepared.run.spec;
    let model = &spec.construction.model;
    match spec.providers.get(&model.provider) {
        None => checks.push(Check::new("construction model", Ok(format!("{model} needs no key")))),
        Some(provider) => checks.extend(served(model, provider, &spec.budget)),
    }
}

fn evaluation(prepared: &PreparedEvaluation, checks: &mut Vec<Check>) {
    let spec = &prepared.run.spec;
    for file in spec.conditions.iter().filter_map(|one| one.bank.as_ref()?.file.as_ref()) {
        let found = std::fs::metadata(prepared.base.join(file)).map(|_| "found".to_owned());
        checks.push(Check::new(format!("bank file {file}"), found.map_err(|error| error.to_string())));
    }
    for model in spec.models_of_attempts() {
        if let Some(provider) = spec.providers.get(&model.provider) {
            checks.extend(served(&model, provider, &spec.budget));
        }
    }
}

/// A model of a provider: its key and its price.
fn served(model: &ModelRef, provider: &ProviderSpec, budget: &BudgetSpec) -> Vec<Check> {
    let settings = ModelSettings::from_run_file(&model.model, provider);
    let key = settings.key.as_ref().map_or_else(
        || Ok("no key is needed".to_owned()),
        |source: &KeySource| {
            source.read().map(|_| "the key is there".to_owned()).map_err(|error| error.to_string())
        },
    );
    let priced = PriceTable::embedded().ok().and_then(|table| table.get(&model.model)).is_some();
    let price = match (priced, budget.usd) {
        (true, _) => Ok("in the table".to_owned()),
        (false, None) => Ok("not in the table; costs will not be shown".to_owned()),
        (false, Some(_)) => Err("not in the table; give the budget in tokens".to_owned()),
    };
    vec![
        Check::new(format!("key of {}", model.provider), key),
        Check::new(format!("price of {}", model.model), price),
    ]
}
