//! The runs of a file, in their order.

use std::path::{Path, PathBuf};

use anyhow::Result;
use palaestra_domain::RunName;
use palaestra_domain::run_file::spec::{BudgetSpec, EnvironmentName};
use palaestra_domain::run_file::{Document, EvaluationRun, read_all};

use super::prepare::{self, Prepared};
use crate::exit::InvalidInput;

/// One run of a file.
pub enum Job {
    /// A bank is built.
    Construction(Prepared),
    /// Banks are measured.
    Evaluation(PreparedEvaluation),
}

/// An evaluation's file with the folder that its paths are relative to.
pub struct PreparedEvaluation {
    /// The run file.
    pub run: EvaluationRun,
    /// Its folder.
    pub base: PathBuf,
}

/// Reads all runs of a file.
///
/// # Errors
/// When the file cannot be read, or with everything that is wrong in it.
pub fn read(path: &Path) -> Result<Vec<Job>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| InvalidInput(format!("cannot read the run file {}: {error}", path.display())))?;
    let base = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let documents = read_all(&path.display().to_string(), &text)?;
    let job = |document| match document {
        Document::Construction(run) => Job::Construction(Prepared { run: *run, base: base.clone() }),
        Document::Evaluation(run) => Job::Evaluation(PreparedEvaluation { run: *run, base: base.clone() }),
    };
    Ok(documents.into_iter().map(job).collect())
}

/// Reads all runs of a file and checks that what they name is there, before any store is opened: a slip
/// must leave nothing behind.
///
/// # Errors
/// As [`read`], and for a scripted agent, a recording or a bank file that does not exist.
pub fn read_checked(path: &Path) -> Result<Vec<Job>> {
    let jobs = read(path)?;
    for job in &jobs {
        match job {
            Job::Construction(prepared) => prepare::check(prepared)?,
            Job::Evaluation(prepared) => prepared.check()?,
        }
    }
    Ok(jobs)
}

/// Refuses to write one bank file for several banks, or for none.
///
/// # Errors
/// When a bank file is asked for and the file has not exactly one construction.
pub fn one_bank(bank: Option<&Path>, jobs: &[Job]) -> Result<()> {
    let constructions = jobs.iter().filter(|job| matches!(job, Job::Construction(_))).count();
    if bank.is_some() && constructions != 1 {
        let message = format!(
            "--bank writes the bank of one construction, and the file has {constructions}; use `palaestra bank export`"
        );
        return Err(InvalidInput(message).into());
    }
    Ok(())
}

impl PreparedEvaluation {
    fn check(&self) -> Result<()> {
        for target in &self.run.spec.targets {
            if let Some(name) = &target.scripted {
                prepare::scripted_exists(name)?;
            }
        }
        let banks = self.run.spec.conditions.iter().filter_map(|condition| condition.bank.as_ref());
        for file in banks.filter_map(|bank| bank.file.as_ref()) {
            let at = self.base.join(file);
            std::fs::metadata(&at).map_err(|error| {
                InvalidInput(format!("cannot find the bank file {}: {error}", at.display()))
            })?;
        }
        Ok(())
    }
}

impl Job {
    /// The run's name.
    #[must_use]
    pub fn name(&self) -> &RunName {
        match self {
            Self::Construction(prepared) => &prepared.run.metadata.name,
            Self::Evaluation(prepared) => &prepared.run.metadata.name,
        }
    }

    /// What it may spend.
    #[must_use]
    pub fn budget(&self) -> &BudgetSpec {
        match self {
            Self::Construction(prepared) => &prepared.run.spec.budget,
            Self::Evaluation(prepared) => &prepared.run.spec.budget,
        }
    }

    /// Where its attempts are made.
    #[must_use]
    pub fn environment(&self) -> EnvironmentName {
        match self {
            Self::Construction(prepared) => prepared.run.spec.environment.name,
            Self::Evaluation(prepared) => prepared.run.spec.environment.name,
        }
    }

    /// How many attempts may wait for models at a time; none when no attempt asks one.
    #[must_use]
    pub fn waiting(&self) -> Option<u32> {
        let (models, limits) = match self {
            Self::Construction(prepared) => {
                (prepared.run.spec.models_of_attempts(), &prepared.run.spec.limits)
            }
            Self::Evaluation(prepared) => (prepared.run.spec.models_of_attempts(), &prepared.run.spec.limits),
        };
        (!models.is_empty()).then_some(limits.concurrency.max(1))
    }
}
