//! From the command line to the command.

use anyhow::Result;
use palaestra_runtime::Exit;

use super::{bank, cluster, coordinator, doctor, env, import, packet, plan, report, run, worker};
use crate::args::{Args, Command, KindArg};
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
        Command::Plan { file, store } => plan::plan(&printer, &file, &store),
        Command::Report(request) => report::report(&printer, args.output, &request),
        Command::Import(request) => import::import(&printer, &request),
        Command::Bank(command) => bank::bank(&printer, command),
        Command::Packet(command) => packet::packet(&printer, command),
        Command::Coordinator(request) => coordinator::coordinator(&request),
        Command::Worker(request) => worker::worker(request),
        Command::Submit(request) => cluster::submit(&printer, &request),
        Command::Ls { connect, tenant } => cluster::ls(&printer, &connect, tenant),
        Command::Watch(request) => cluster::watch(&printer, &request),
        Command::Pause(request) => cluster::pause(&printer, &request),
        Command::Resume(request) => cluster::resume(&printer, &request),
        Command::Cancel(request) => cluster::cancel(&printer, &request),
        Command::Env(command) => env::env(&printer, &command),
        Command::Schema { kind } => {
            printer.json(&match kind {
                KindArg::Construction => palaestra_domain::run_file::schema(),
                KindArg::Evaluation => palaestra_domain::run_file::evaluation_schema(),
            })?;
            Ok(Exit::Success)
        }
        Command::Doctor { file } => doctor::doctor(&printer, file.as_deref()),
    }
}
