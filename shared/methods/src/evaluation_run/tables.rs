//! From an artefact to a report of the `evaluation` crate.

use palaestra_evaluation::{Bootstrap, Episodes, Report, ReportOptions};

use super::artefact::Artefact;
use super::event::EpisodeRecord;
use crate::contramem::error::Error;

/// The report of what has ended so far. Where tasks depend on an order of arguments that means nothing,
/// a second part reports without them.
///
/// # Errors
/// [`Error::Report`] when the episodes contradict each other or none has ended.
pub fn report(artefact: &Artefact) -> Result<Report, Error> {
    let all: Vec<&EpisodeRecord> = artefact.episodes.iter().collect();
    let plain: Vec<&EpisodeRecord> = all.iter().copied().filter(|episode| !episode.order_dependent).collect();
    let mut report = part(artefact, &format!("Evaluation {}", artefact.run), &all, facts(artefact))?;
    let left_out = all.len() - plain.len();
    if left_out > 0 && !plain.is_empty() {
        let title = "Without the tasks whose score depends on the order of arguments";
        let facts = vec![("left out".to_owned(), format!("{left_out} of {} episodes", all.len()))];
        report.parts.push(part(artefact, title, &plain, facts)?);
    }
    Ok(report)
}

fn facts(artefact: &Artefact) -> Vec<(String, String)> {
    let mut facts = artefact.facts.clone();
    let ended = artefact.episodes.len();
    if u32::try_from(ended).unwrap_or(u32::MAX) < artefact.planned {
        let words = format!("not finished: {ended} of {} episodes have ended", artefact.planned);
        facts.push(("run".to_owned(), words));
    }
    facts
}

fn part(
    artefact: &Artefact,
    title: &str,
    episodes: &[&EpisodeRecord],
    facts: Vec<(String, String)>,
) -> Result<Report, Error> {
    let failed = |source| Error::Report { run: artefact.run.to_string(), source };
    let rows = episodes.iter().map(|episode| episode.row()).collect();
    let table = Episodes::new(rows).map_err(failed)?;
    let there = table.conditions();
    // Early in a run a condition may have no episode yet.
    let conditions = artefact.conditions.iter().map(ToString::to_string);
    let options = ReportOptions {
        title: title.to_owned(),
        conditions: conditions.filter(|name| there.contains(name.as_str())).collect(),
        pass_k: None,
        bootstrap: Bootstrap::default(),
        facts,
        judges: std::collections::BTreeMap::new(),
    };
    Report::new(&table, options).map_err(failed)
}
