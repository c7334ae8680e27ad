//! The documents of a run file: each one run, done in their order, so that an evaluation may name a
//! construction that stands before it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::evaluation::{self, EvaluationRun};
use super::mistake::{Mistake, Mistakes};
use super::read::{self, Rules};
use super::spec::RunFile;
use super::tree::{self, Kind, Node};
use super::{check, contradictions, names};
use crate::ids::RunName;

/// One run of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Document {
    /// A bank is built.
    Construction(Box<RunFile>),
    /// Banks are measured.
    Evaluation(Box<EvaluationRun>),
}

impl Document {
    /// The run's name.
    #[must_use]
    pub fn name(&self) -> &RunName {
        match self {
            Self::Construction(run) => &run.metadata.name,
            Self::Evaluation(run) => &run.metadata.name,
        }
    }
}

/// The kinds that there are.
const KINDS: [&str; 2] = ["ConstructionRun", "EvaluationRun"];

/// Reads a run file of one or several documents.
///
/// # Errors
/// [`Mistakes`] of all documents together, each with its line; a syntax error stands alone.
pub fn read_all(file: &str, text: &str) -> Result<Vec<Document>, Mistakes> {
    let roots = tree::parse_all(text).map_err(|mistake| read::fail(file, vec![mistake]))?;
    let (mut documents, mut mistakes, mut named) = (Vec::new(), Vec::new(), BTreeSet::new());
    for root in &roots {
        match document(root) {
            Ok(document) => {
                if !named.insert(document.name().clone()) {
                    let message = format!("two runs of this file are named `{}`", document.name());
                    let path = "metadata.name".to_owned();
                    mistakes.push(Mistake { line: root.line_of(&path), path, message });
                }
                documents.push(document);
            }
            Err(found) => mistakes.extend(found),
        }
    }
    if mistakes.is_empty() { Ok(documents) } else { Err(read::fail(file, mistakes)) }
}

fn document(root: &Node) -> Result<Document, Vec<Mistake>> {
    let kind = kind(root);
    if kind == Some("EvaluationRun") {
        let rules = Rules {
            schema: read::evaluation_schema(),
            names: evaluation::names::wrong,
            contradictions: evaluation::contradictions::of,
        };
        return rules.read(root).map(|run| Document::Evaluation(Box::new(run)));
    }
    let rules = Rules { schema: read::schema(), names: names::wrong, contradictions: contradictions::of };
    rules.read(root).map(|run| Document::Construction(Box::new(run))).map_err(|mut mistakes| {
        // This kind's schema only knows itself.
        if let Some(kind) = kind.filter(|kind| !KINDS.contains(kind)) {
            for mistake in mistakes.iter_mut().filter(|mistake| mistake.path == "kind") {
                mistake.message = format!("`{kind}` is not known; {}", check::suggest(kind, &KINDS));
            }
        }
        mistakes
    })
}

fn kind(root: &Node) -> Option<&str> {
    let Kind::Map(fields) = &root.kind else { return None };
    match &fields.iter().find(|(key, _, _)| key == "kind")?.2.kind {
        Kind::Scalar(value) => value.as_str(),
        Kind::List(_) | Kind::Map(_) => None,
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
