//! The report of an evaluation, for people and for scripts.

use palaestra_evaluation::Report;
use palaestra_evaluation::tables::Table;
use palaestra_methods::evaluation_run::{Artefact, EpisodeRecord, report};
use serde::Serialize;

use crate::args::ReportForm;
use crate::output::table;

/// What scripts read: every measure and every episode.
#[derive(Debug, Serialize)]
pub struct Reported<'a> {
    /// The run.
    pub run: String,
    /// The digest of everything that the numbers depend on.
    pub identity: String,
    /// The measures.
    #[serde(flatten)]
    pub report: Report,
    /// The episodes.
    pub episodes: &'a [EpisodeRecord],
}

impl<'a> Reported<'a> {
    /// Measures what has ended.
    ///
    /// # Errors
    /// When the episodes contradict each other.
    pub fn new(artefact: &'a Artefact) -> anyhow::Result<Self> {
        Ok(Self {
            run: artefact.run.to_string(),
            identity: artefact.identity.to_string(),
            report: report(artefact)?,
            episodes: &artefact.episodes,
        })
    }

    /// The report in one of its forms.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn to_form(&self, form: ReportForm) -> anyhow::Result<String> {
        Ok(match form {
            ReportForm::Md => self.report.to_markdown(),
            ReportForm::Html => self.report.to_html(),
            ReportForm::Csv => self.report.to_csv()?,
            ReportForm::Json => serde_json::to_string_pretty(self)?,
        })
    }

    /// The report as text for a terminal.
    #[must_use]
    pub fn human(&self) -> String {
        let mut text = human(&self.report);
        for part in &self.report.parts {
            text.push('\n');
            text.push_str(&human(part));
        }
        text
    }
}

fn human(report: &Report) -> String {
    let mut text = format!("{}\n", report.title);
    for (name, value) in &report.facts {
        text.push_str(&format!("  {name}: {value}\n"));
    }
    for one in report.tables() {
        text.push_str(&format!("\n{}\n{}", one.title, rows(&one)));
    }
    text
}

fn rows(one: &Table) -> String {
    let head: Vec<&str> = one.header.iter().map(String::as_str).collect();
    table(&head, &one.rows)
}
