//! Data on standard output, everything else on standard error.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::args::OutputForm;

/// Prints what a command has to say, in the form that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    form: OutputForm,
}

impl Printer {
    /// A printer of one form.
    #[must_use]
    pub fn new(form: OutputForm) -> Self {
        Self { form }
    }

    /// Prints a value: as JSON for scripts, or as the text that `human` makes for people.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn data<T: Serialize>(self, value: &T, human: impl FnOnce() -> String) -> Result<()> {
        match self.form {
            OutputForm::Json => self.json(value),
            OutputForm::Human => self.text(&human()),
        }
    }

    /// Prints a value as JSON, whatever the form.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn json<T: Serialize>(self, value: &T) -> Result<()> {
        self.text(&serde_json::to_string_pretty(value).context("cannot write the answer as JSON")?)
    }

    /// Prints text as it is.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn text(self, text: &str) -> Result<()> {
        let mut out = std::io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        match write!(out, "{text}{end}").and_then(|()| out.flush()) {
            // `palaestra ... | head` is no failure.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other.context("cannot write to standard output"),
        }
    }

    /// Says something that is not data.
    #[expect(clippy::print_stderr, reason = "remarks to people belong to standard error")]
    pub fn note(self, text: &str) {
        eprintln!("{text}");
    }

    /// Whether somebody watches standard error.
    #[must_use]
    pub fn watched(self) -> bool {
        std::io::stderr().is_terminal()
    }
}

/// Rows as aligned columns; numbers to the right.
#[must_use]
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(head.get(column).map(|h| h.chars().count())).max().unwrap_or_default()
    };
    let numeric = |column: usize| {
        !rows.is_empty()
            && rows
                .iter()
                .filter_map(|row| row.get(column))
                .all(|c| c.is_empty() || c.starts_with(|d: char| d.is_ascii_digit()))
    };
    let mut out = String::new();
    let head: Vec<String> = head.iter().map(|h| (*h).to_owned()).collect();
    for (index, row) in std::iter::once(&head).chain(rows).enumerate() {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let pad = " ".repeat(width(column).saturating_sub(cell.chars().count()));
                if numeric(column) && index > 0 || numeric(column) {
                    format!("{pad}{cell}")
                } else {
                    format!("{cell}{pad}")
                }
            })
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}
