//! What a rule says when it is broken: where, which rule, and what to do.

use std::fmt;

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The file (with its line where there is one) or the crate.
    pub place: String,
    /// The rule, with what breaks it.
    pub rule: String,
    /// What to do about it.
    pub remedy: String,
}

impl Violation {
    /// A violation of `rule` at `place`.
    #[must_use]
    pub fn new(place: impl Into<String>, rule: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: place.into(), rule: rule.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.rule, self.remedy)
    }
}

/// Turns what a rule found into a test's result.
///
/// # Errors
/// One error that lists every violation, when there is any.
pub fn verdict(violations: &[Violation]) -> anyhow::Result<()> {
    let lines: Vec<String> = violations.iter().map(|violation| format!("  {violation}")).collect();
    anyhow::ensure!(violations.is_empty(), "{} violation(s):\n{}", lines.len(), lines.join("\n"));
    Ok(())
}
