//! The report: what was measured, on what, and every measure.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{html, markdown, records};
use crate::agreement::Confusion;
use crate::episodes::Episodes;
use crate::error::Error;
use crate::intervals::Bootstrap;
use crate::measures::Measures;
use crate::tables::{self, Table};

/// What a report is about and how it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportOptions {
    /// The heading.
    pub title: String,
    /// The conditions in the order to print, the first one the baseline that gains are over; those not
    /// named follow by name.
    pub conditions: Vec<String>,
    /// The k of pass^k; the number of repeats where absent.
    pub pass_k: Option<u32>,
    /// How intervals are resampled.
    pub bootstrap: Bootstrap,
    /// What the numbers depend on (bank hashes, split, data version, prices), in the order to print.
    pub facts: Vec<(String, String)>,
    /// Judges that were compared with the verifier, by name.
    pub judges: BTreeMap<String, Confusion>,
}

/// A finished report; also serialisable, for scripts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The heading.
    pub title: String,
    /// What the numbers depend on.
    pub facts: Vec<(String, String)>,
    /// Every measure.
    pub measures: Measures,
    /// Judges beside the verifier.
    pub judges: BTreeMap<String, Confusion>,
    /// The same over a part of the episodes, each with a title of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Report>,
}

impl Report {
    /// Measures the episodes. The same episodes and options give the same report, in whatever order the
    /// episodes arrived.
    ///
    /// # Errors
    /// [`Error::UnknownCondition`] when no episode has a named condition; [`Error::OutOfRange`] for k = 0.
    pub fn new(episodes: &Episodes, options: ReportOptions) -> Result<Self, Error> {
        let measures = Measures::of(episodes, &options.conditions, options.pass_k, options.bootstrap)?;
        let (title, facts, judges) = (options.title, options.facts, options.judges);
        Ok(Self { title, facts, measures, judges, parts: Vec::new() })
    }

    /// The tables, in the order in which they are printed.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let measures = &self.measures;
        let mut found = vec![tables::success(measures)];
        found.extend(tables::goals(measures));
        found.extend(tables::repeats(measures));
        found.extend([
            tables::comparison(measures),
            tables::null_control(measures),
            tables::efficiency(measures),
            tables::paired_events(measures),
            tables::roles(measures),
            tables::coverage(measures),
        ]);
        if !self.judges.is_empty() {
            found.push(tables::agreement(&self.judges));
        }
        found.retain(|table| !table.rows.is_empty());
        found
    }

    /// The report as Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::write(self)
    }

    /// The report as one HTML page with its charts inside; it needs no script and loads nothing.
    #[must_use]
    pub fn to_html(&self) -> String {
        html::write(self)
    }

    /// The measures as CSV, one per line, fractions and counts in full precision.
    ///
    /// # Errors
    /// [`Error::Csv`] when a record cannot be written.
    pub fn to_csv(&self) -> Result<String, Error> {
        records::write(self)
    }
}
