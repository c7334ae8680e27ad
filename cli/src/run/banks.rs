//! Where the banks of an evaluation are found: in a file, in the stores of this machine, or at a
//! coordinator.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use palaestra_domain::run_file::evaluation::BankRef;
use palaestra_domain::{CardId, ConditionName, Digest, RunName};
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::Submitted;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::run::{RunEvent, RunView};
use palaestra_methods::evaluation_run::{BankOrigin, MeasuredBank, Provenance};
use palaestra_proto::{Reason, convert};
use palaestra_store::{Error as StoreError, Store};

use super::job::PreparedEvaluation;
use crate::cluster::connect::{Client, named};
use crate::cluster::fetch;
use crate::exit::InvalidInput;
use crate::state;

/// Per Skill Card, the scenarios that its evidence comes from.
type Generators = BTreeMap<CardId, BTreeSet<String>>;

/// Where the banks of runs are looked for.
pub enum Shelf<'a> {
    /// In one store, which is open already.
    Store(Arc<dyn Store>),
    /// In a store of each run's own.
    Stores,
    /// At a coordinator.
    Coordinator(&'a Client),
}

/// The banks of an evaluation, by condition.
///
/// # Errors
/// When one cannot be found, is not frozen yet, or is not the bank that its hash says.
pub async fn banks(
    prepared: &PreparedEvaluation,
    shelf: &Shelf<'_>,
) -> Result<BTreeMap<ConditionName, MeasuredBank>> {
    let mut found = BTreeMap::new();
    for condition in &prepared.run.spec.conditions {
        let Some(reference) = &condition.bank else { continue };
        let bank = bank(reference, &prepared.base, shelf).await;
        let words = || format!("cannot measure condition `{}`", condition.name);
        found.insert(condition.name.clone(), bank.with_context(words)?);
    }
    Ok(found)
}

async fn bank(reference: &BankRef, base: &Path, shelf: &Shelf<'_>) -> Result<MeasuredBank> {
    match (&reference.run, &reference.file, shelf) {
        (Some(run), _, Shelf::Coordinator(client)) => of_submitted(client, run).await,
        (Some(run), _, Shelf::Store(store)) => of_run(Arc::clone(store), run).await,
        (Some(run), _, Shelf::Stores) => {
            let store = state::read_only(run).await.map_err(|error| missing(run, error))?;
            of_run(store, run).await
        }
        (None, file, _) => of_file(file.as_deref().unwrap_or_default(), base),
    }
}

fn of_file(file: &str, base: &Path) -> Result<MeasuredBank> {
    let at = base.join(file);
    let unusable = |error: &dyn std::fmt::Display| {
        InvalidInput(format!("cannot use the bank file {}: {error}", at.display()))
    };
    let text = std::fs::read_to_string(&at).map_err(|error| unusable(&error))?;
    let bank = FrozenBank::from_json(&text).map_err(|error| unusable(&error))?;
    Ok(MeasuredBank { bank, origin: BankOrigin::File(file.to_owned()) })
}

async fn of_run(store: Arc<dyn Store>, run: &RunName) -> Result<MeasuredBank> {
    let view = match RunView::read(store, run).await {
        Err(MethodError::NoSuchRun { .. }) => return Err(unbuilt(run).into()),
        view => view?,
    };
    let frozen = view.events.iter().rev().find_map(|event| match event {
        RunEvent::Finished { bank } => Some(*bank),
        _ => None,
    });
    let frozen = frozen.ok_or_else(|| unbuilt(run))?;
    let bank = same(run, FrozenBank::new(view.bank()?)?, frozen)?;
    Ok(MeasuredBank { bank, origin: BankOrigin::Run(Box::new(Provenance::of_run(&view)?)) })
}

async fn of_submitted(client: &Client, run: &RunName) -> Result<MeasuredBank> {
    let status = match client.ask(async |mut runs| runs.get_run(named(run.as_str())).await).await {
        Err(problem) if problem.reason == Reason::NotFound => return Err(unbuilt(run).into()),
        status => status?,
    };
    let curation = status.curation.unwrap_or_default();
    if curation.phase != "frozen" {
        return Err(unbuilt(run).into());
    }
    let frozen: Digest = convert::digest("bank", &curation.bank)?;
    let address: Digest = convert::digest("submission", &status.submission)?;
    let bytes = client.blobs().blob_get(address).await.context("cannot read the run's submission")?;
    let Submitted::Construction(submission) = Submitted::decode(&bytes)? else {
        return Err(InvalidInput(format!("run `{run}` is an evaluation and has no bank")).into());
    };
    let text = String::from_utf8(fetch::bank(client, run.as_str()).await?).context("the bank is no text")?;
    let bank = same(run, FrozenBank::from_json(&text)?, frozen)?;
    let provenance = Provenance::of_submission(&submission, generators(client, run).await?);
    Ok(MeasuredBank { bank, origin: BankOrigin::Run(Box::new(provenance)) })
}

/// The scenarios behind a run's cards; none from a coordinator that does not tell them.
async fn generators(client: &Client, run: &RunName) -> Result<Option<Generators>> {
    let Some(address) = fetch::generators(client, run.as_str()).await? else { return Ok(None) };
    let bytes = client.blobs().blob_get(address).await.context("cannot read the scenarios behind a bank")?;
    Ok(Some(serde_json::from_slice(&bytes).context("the scenarios behind a bank are not readable")?))
}

/// The bank, once it is sure that it is the one that was frozen.
fn same(run: &RunName, bank: FrozenBank, frozen: Digest) -> Result<FrozenBank> {
    if bank.digest() == frozen {
        return Ok(bank);
    }
    let message = format!("the bank of run `{run}` has the hash {}, and {frozen} was frozen", bank.digest());
    Err(InvalidInput(message).into())
}

fn unbuilt(run: &RunName) -> InvalidInput {
    InvalidInput(format!("run `{run}` has no frozen bank here; build it first"))
}

fn missing(run: &RunName, error: anyhow::Error) -> anyhow::Error {
    let gone = error
        .chain()
        .any(|cause| matches!(cause.downcast_ref::<StoreError>(), Some(StoreError::Missing { .. })));
    if gone { unbuilt(run).into() } else { error }
}
