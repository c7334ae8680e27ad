//! What a client hands in, of whichever kind.

use palaestra_domain::{Digest, RunName};
use serde::Deserialize;
use serde_json::Value;

use crate::contramem::error::Error;
use crate::contramem::run::Submission;
use crate::evaluation_run::EvaluationSubmission;

/// A planned run of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Submitted {
    /// A bank is to be built.
    Construction(Box<Submission>),
    /// Banks are to be measured.
    Evaluation(Box<EvaluationSubmission>),
}

/// As much as every kind has.
#[derive(Deserialize)]
struct Head {
    run: HeadRun,
}

#[derive(Deserialize)]
struct HeadRun {
    kind: String,
}

impl Submitted {
    /// Reads a submission.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when it is none, or of another program's format.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let head: Option<Head> = serde_json::from_slice(bytes).ok();
        if head.is_some_and(|head| head.run.kind == "EvaluationRun") {
            return Ok(Self::Evaluation(Box::new(EvaluationSubmission::decode(bytes)?)));
        }
        Ok(Self::Construction(Box::new(Submission::decode(bytes)?)))
    }

    /// The submission as it rests and travels.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Construction(submission) => submission.encode(),
            Self::Evaluation(submission) => submission.encode(),
        }
    }

    /// The run's name.
    #[must_use]
    pub fn name(&self) -> &RunName {
        match self {
            Self::Construction(submission) => &submission.run.metadata.name,
            Self::Evaluation(submission) => &submission.run.metadata.name,
        }
    }

    /// The digest of everything that its result depends on.
    #[must_use]
    pub fn identity(&self) -> Digest {
        match self {
            Self::Construction(submission) => submission.identity,
            Self::Evaluation(submission) => submission.identity,
        }
    }

    /// What was digested.
    #[must_use]
    pub fn basis(&self) -> &Value {
        match self {
            Self::Construction(submission) => &submission.basis,
            Self::Evaluation(submission) => &submission.basis,
        }
    }
}
