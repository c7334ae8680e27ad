//! From a bank command to its file.

use anyhow::Result;
use palaestra_runtime::Exit;

use super::{blame, cards, export, log, search, why_not};
use crate::args::BankCommand;
use crate::output::Printer;
use crate::state;

/// Runs a bank command.
///
/// # Errors
/// When the run, the card or the store cannot be read.
pub fn bank(printer: &Printer, command: BankCommand) -> Result<Exit> {
    state::runtime(Some(1))?.block_on(async {
        match command {
            BankCommand::Show { cards: wanted, run } => {
                cards::show(printer, &state::read(&run).await?, &wanted)
            }
            BankCommand::Search { query, ability, k, run } => {
                search::search(printer, &state::read(&run).await?, &query, ability.as_deref(), k)
            }
            BankCommand::Log { task, run } => log::log(printer, &state::read(&run).await?, task.as_deref()),
            BankCommand::Blame { card, run } => blame::blame(printer, &state::read(&run).await?, &card),
            BankCommand::WhyNot { task, run } => {
                why_not::why_not(printer, &state::read(&run).await?, &task).await
            }
            BankCommand::Diff { old, new, store } => export::diff(printer, &old, &new, &store).await,
            BankCommand::Export { form, to, run } => {
                export::export(printer, &state::read(&run).await?, form, to.as_deref())
            }
        }
    })
}
