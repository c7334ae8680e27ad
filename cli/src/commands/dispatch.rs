//! From the command line to the command.

use anyhow::Result;
use palaestra_runtime::Exit;

use super::{bank, doctor, import, packet, plan, run};
use crate::args::{Args, Command};
use crate::output::Printer;

/// Runs one command.
///
/// # Errors
/// Whatever stopped it, with its causes.
pub fn dispatch(args: Args) -> Result<Exit> {
    let printer = Printer::new(args.output);
    match args.command {
        Command::Run { file, store, ephemeral, threads, bank } => {
            run::run(&printer, &run::RunRequest { file, store, ephemeral, threads, bank })
        }
        Command::Plan { file } => plan::plan(&printer, &file),
        Command::Import(request) => import::import(&printer, &request),
        Command::Bank(command) => bank::bank(&printer, command),
        Command::Packet(command) => packet::packet(&printer, command),
        Command::Schema => {
            printer.json(&palaestra_domain::run_file::schema())?;
            Ok(Exit::Success)
        }
        Command::Doctor { file } => doctor::doctor(&printer, file.as_deref()),
    }
}
