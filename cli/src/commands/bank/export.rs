//! `bank export` and `bank diff`: banks as files, and against each other.

use std::path::Path;

use anyhow::{Context as _, Result};
use palaestra_domain::Bank;
use palaestra_memory::diff as bank_diff;
use palaestra_memory::diff::{BankDiff, CardChange};
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::run::RunView;
use palaestra_runtime::Exit;

use super::markdown;
use crate::args::{ExportForm, RunArgs, StoreArgs};
use crate::exit::InvalidInput;
use crate::output::Printer;
use crate::state;

pub(super) fn export(printer: &Printer, view: &RunView, form: ExportForm, to: Option<&Path>) -> Result<Exit> {
    let bank = view.bank()?;
    let text = match form {
        ExportForm::Json => FrozenBank::new(bank)?.to_json()?,
        ExportForm::Markdown => markdown::bank(&bank),
    };
    match to {
        Some(path) => {
            std::fs::write(path, text)
                .with_context(|| format!("cannot write the bank to {}", path.display()))?;
        }
        None => printer.text(&text)?,
    }
    Ok(Exit::Success)
}

pub(super) async fn diff(printer: &Printer, old: &str, new: &str, store: &StoreArgs) -> Result<Exit> {
    let (before, after) = (open(old, store).await?, open(new, store).await?);
    let diff = bank_diff(&before, &after)?;
    printer.data(&diff, || human(&diff))?;
    Ok(Exit::Success)
}

/// A bank by file, or by the name of its run.
async fn open(name: &str, store: &StoreArgs) -> Result<Bank> {
    let path = Path::new(name);
    if path.is_file() {
        let text = std::fs::read_to_string(path)
            .map_err(|e| InvalidInput(format!("cannot read the bank {name}: {e}")))?;
        let frozen = FrozenBank::from_json(&text)
            .map_err(|e| InvalidInput(format!("cannot read the bank {name}: {e}")))?;
        return Ok(frozen.bank().clone());
    }
    let run = RunArgs { run: Some(name.to_owned()), store: store.clone() };
    Ok(state::read(&run).await?.bank()?)
}

fn human(diff: &BankDiff) -> String {
    if diff.cards.is_empty() {
        return "the banks are equal".to_owned();
    }
    let mut out = String::new();
    for card in &diff.cards {
        let bank = card.ability.as_ref().map_or_else(String::new, |ability| format!(" in {ability}"));
        match &card.change {
            CardChange::Added => out.push_str(&format!("+ {}{bank}\n", card.card_id)),
            CardChange::Removed => out.push_str(&format!("- {}{bank}\n", card.card_id)),
            CardChange::Changed { fields } => {
                out.push_str(&format!("~ {}{bank}\n", card.card_id));
                for field in fields {
                    out.push_str(&format!("    {}: {} -> {}\n", field.field, field.before, field.after));
                }
            }
        }
    }
    out
}
