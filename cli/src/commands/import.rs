//! `palaestra import`: counts what recordings hold, and converts them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;

use anyhow::{Context as _, Result};
use palaestra_domain::Trajectory;
use palaestra_environments::recorded::{self, Format, ImportOptions, Input, Writer};
use palaestra_methods::contramem::run::SourceTally;
use palaestra_runtime::Exit;
use serde::Serialize;

use crate::args::ImportArgs;
use crate::exit::InvalidInput;
use crate::output::{Printer, table};

/// What an import found.
#[derive(Serialize)]
struct Report {
    trajectories: usize,
    tasks: usize,
    sources: BTreeMap<String, SourceTally>,
    refused: Vec<String>,
    skipped: Vec<String>,
    decoding_notes: usize,
}

/// Imports, prints the counts, and writes the trajectories where asked to.
///
/// # Errors
/// When an argument is wrong or the output cannot be written; refused records are part of the
/// answer, and the exit code tells that there were some.
pub fn import(printer: &Printer, request: &ImportArgs) -> Result<Exit> {
    let format = request.format.as_deref().map(str::parse::<Format>).transpose().map_err(InvalidInput)?;
    let inputs: Vec<Input> = request
        .paths
        .iter()
        .map(|path| Input {
            path: path.clone(),
            format,
            source: request.model.clone(),
            domain: request.domain.clone(),
            labels: request.labels.clone(),
        })
        .collect();
    let options = ImportOptions { pass_threshold: request.pass_threshold, ability: None };
    let imported = recorded::import(&inputs, &options)?;
    if let Some(path) = &request.to {
        let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
        write(BufWriter::new(file), &imported.trajectories)
            .with_context(|| format!("cannot write the trajectories to {}", path.display()))?;
    }
    let report = report(&imported);
    printer.data(&report, || human(&report))?;
    Ok(if report.refused.is_empty() { Exit::Success } else { Exit::Incomplete })
}

fn write(out: BufWriter<File>, trajectories: &[Trajectory]) -> Result<()> {
    let mut writer = Writer::new(out)?;
    for trajectory in trajectories {
        writer.write(trajectory)?;
    }
    writer.finish()?;
    Ok(())
}

fn report(imported: &recorded::Imported) -> Report {
    let mut sources: BTreeMap<String, SourceTally> = BTreeMap::new();
    let mut tasks = std::collections::BTreeSet::new();
    for trajectory in &imported.trajectories {
        sources.entry(trajectory.source.to_string()).or_default().count(&trajectory.outcome);
        tasks.insert(&trajectory.task.id);
    }
    let skipped = imported
        .files
        .iter()
        .filter_map(|file| file.skipped.as_ref().map(|reason| format!("{}: {reason}", file.file.display())));
    Report {
        trajectories: imported.trajectories.len(),
        tasks: tasks.len(),
        sources,
        refused: imported.refused.iter().map(ToString::to_string).collect(),
        skipped: skipped.collect(),
        decoding_notes: imported.trajectories.iter().map(|t| t.decoding_notes.len()).sum(),
    }
}

fn human(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .sources
        .iter()
        .map(|(source, tally)| {
            let counts = [tally.requested, tally.passed, tally.failed, tally.no_result, tally.unresolved];
            std::iter::once(source.clone()).chain(counts.iter().map(ToString::to_string)).collect()
        })
        .collect();
    let mut out = format!("{} trajectories of {} tasks\n\n", report.trajectories, report.tasks);
    out.push_str(&table(&["source", "requested", "passed", "failed", "no result", "unresolved"], &rows));
    if report.decoding_notes > 0 {
        out.push_str(&format!(
            "\n{} passages could not be decoded as they stood and are marked\n",
            report.decoding_notes
        ));
    }
    for (title, lines) in [("refused", &report.refused), ("passed over", &report.skipped)] {
        if !lines.is_empty() {
            out.push_str(&format!("\n{title}\n  {}\n", lines.join("\n  ")));
        }
    }
    out
}
