//! What a submission says of its run, for the door and for labels.

use std::collections::BTreeSet;

use palaestra_domain::run_file::spec::Method;
use palaestra_domain::{Digest, RunName};
use palaestra_methods::Submitted;

/// A run, as far as others than its curation need to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    /// The run.
    pub(crate) run: RunName,
    /// Its method, as a label; none that is known for a submission that cannot be read.
    pub(crate) method: &'static str,
    /// The models that its run file names.
    pub(crate) models: BTreeSet<String>,
}

/// Reads a submission that is to be the run `run` with this identity.
///
/// # Errors
/// In words, when it is none, or another run's.
pub(crate) fn about(submission: &[u8], run: &RunName, identity: Digest) -> Result<About, String> {
    let read = Submitted::decode(submission).map_err(|error| error.to_string())?;
    if read.name() != run {
        return Err(format!("it is a submission of run {}, and the head names {run}", read.name()));
    }
    if read.identity() != identity {
        return Err("it has another identity than the head".to_owned());
    }
    Ok(of(&read))
}

/// Reads the submission of a run that was accepted before.
pub(crate) fn about_stored(submission: &[u8], run: &RunName) -> About {
    Submitted::decode(submission).map_or_else(
        |_| About { run: run.clone(), method: "other", models: BTreeSet::new() },
        |read| of(&read),
    )
}

fn of(submitted: &Submitted) -> About {
    let (method, models) = match submitted {
        Submitted::Construction(submission) => {
            let spec = &submission.run.spec;
            let method = match spec.method {
                Method::Contramem => "contramem",
            };
            let mut models = spec.models_of_attempts();
            models.push(spec.construction.model.clone());
            (method, models)
        }
        Submitted::Evaluation(submission) => ("evaluation", submission.run.spec.models_of_attempts()),
    };
    let models = models.into_iter().map(|model| model.model).collect();
    About { run: submitted.name().clone(), method, models }
}
