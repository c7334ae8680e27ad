//! What all units of a run share on a worker: its run file and its models, prepared once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{ConditionName, Digest, FailureClass};
use palaestra_environments::Worlds;
use palaestra_methods::Submitted;
use palaestra_methods::contramem::run::{UnitError, data_version};
use palaestra_methods::evaluation_run::{EvaluationSubmission, GuideBook, books};
use palaestra_models::{Limiter, ModelSettings, Models, ModelsBuilder, PriceTable};
use palaestra_runtime::Clock;
use palaestra_store::Blobs;
use tokio::sync::OnceCell;

use crate::execute::{Failed, Work};

/// How many runs are kept ready; the one that was used longest ago makes room.
const RUNS: usize = 16;

/// A run, ready for its units.
#[derive(Debug)]
pub(super) struct Prepared {
    pub what: What,
    /// The models that attempts need; none where they need none.
    pub models: Option<Models>,
}

/// What a run's units are about.
#[derive(Debug)]
pub(super) enum What {
    /// Attempts for a bank.
    Construction(Arc<RunFile>),
    /// Attempts with banks, each ready to guide.
    Evaluation(Arc<EvaluationSubmission>, Arc<BTreeMap<ConditionName, Arc<GuideBook>>>),
}

type Slot = Arc<OnceCell<Arc<Prepared>>>;

/// The runs that this worker met, by their submission.
pub(super) struct Runs {
    clock: Arc<dyn Clock>,
    limiter: Arc<Limiter>,
    /// The worlds of this machine.
    pub(super) worlds: Arc<Worlds>,
    /// The one that was used last comes last.
    ready: Mutex<Vec<(Digest, Slot)>>,
}

impl Runs {
    pub(super) fn new(clock: Arc<dyn Clock>, limiter: Arc<Limiter>, worlds: Arc<Worlds>) -> Self {
        Self { clock, limiter, worlds, ready: Mutex::default() }
    }

    /// The run of a submission. Units that ask at once wait for one of them to prepare it; a failure is
    /// not kept.
    pub(super) async fn get(&self, submission: Digest, blobs: &dyn Blobs) -> Result<Arc<Prepared>, Failed> {
        let slot = self.slot(submission);
        slot.get_or_try_init(|| self.prepare(submission, blobs)).await.cloned()
    }

    fn slot(&self, submission: Digest) -> Slot {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ready.iter().position(|(digest, _)| *digest == submission);
        let entry = known.map(|at| ready.remove(at)).unwrap_or((submission, Slot::default()));
        let slot = Arc::clone(&entry.1);
        ready.push(entry);
        if ready.len() > RUNS {
            ready.remove(0);
        }
        slot
    }

    async fn prepare(&self, submission: Digest, blobs: &dyn Blobs) -> Result<Arc<Prepared>, Failed> {
        let bytes = blobs.blob_get(submission).await;
        let bytes = bytes.map_err(|error| cannot("read the run's submission", &error))?;
        let submitted = Submitted::decode(&bytes);
        let submitted = submitted.map_err(|error| cannot("understand the run's submission", &error))?;
        self.same_data(&submitted).await?;
        let models = self.models(&submitted).map_err(|error| cannot("reach the run's models", &error))?;
        let what = match submitted {
            Submitted::Construction(submission) => What::Construction(Arc::new(submission.run)),
            Submitted::Evaluation(submission) => {
                let books = books(&submission, blobs).await;
                let books = books.map_err(|error| cannot("read the run's banks", &error))?;
                What::Evaluation(Arc::from(submission), Arc::new(books))
            }
        };
        Ok(Arc::new(Prepared { what, models }))
    }

    /// Attempts in other data are no attempts at this run's tasks.
    async fn same_data(&self, submitted: &Submitted) -> Result<(), Failed> {
        let name = match submitted {
            Submitted::Construction(submission) => submission.run.spec.environment.name,
            Submitted::Evaluation(submission) => submission.run.spec.environment.name,
        };
        if name == EnvironmentName::Recorded {
            return Ok(());
        }
        let failed = |error| cannot("look at the run's environment", &error);
        let mut world = self.worlds.look_at(name).map_err(failed)?;
        let here = world.describe().await.map_err(failed)?.data_version;
        world.close().await.map_err(failed)?;
        let wanted = data_version(submitted.basis());
        if wanted.is_some_and(|wanted| wanted != here) {
            let message = format!(
                "this machine has other data of {} than the run was planned with ({here}, not {}): install the \
                 same version, or plan the run anew",
                name.name(),
                wanted.unwrap_or_default()
            );
            return Err(Failed { class: FailureClass::Infrastructure, message });
        }
        Ok(())
    }

    fn models(&self, submitted: &Submitted) -> Result<Option<Models>, palaestra_models::Error> {
        let (named, providers, budget) = match submitted {
            Submitted::Construction(submission) => {
                let spec = &submission.run.spec;
                (spec.models_of_attempts(), &spec.providers, &spec.budget)
            }
            Submitted::Evaluation(submission) => {
                let spec = &submission.run.spec;
                (spec.models_of_attempts(), &spec.providers, &spec.budget)
            }
        };
        if named.is_empty() {
            return Ok(None);
        }
        let in_usd = budget.usd.is_some();
        let (clock, limiter) = (Arc::clone(&self.clock), Arc::clone(&self.limiter));
        let mut builder = ModelsBuilder::new(clock, PriceTable::embedded()?, in_usd, limiter);
        for model in named {
            // A provider that the run file does not describe is missed by whoever asks, who names it.
            if let Some(spec) = providers.get(&model.provider) {
                builder.model(&ModelSettings::from_run_file(&model.model, spec))?;
            }
        }
        Ok(Some(builder.build()))
    }
}

/// A unit that came to nothing.
pub(super) fn failed(error: UnitError) -> Failed {
    Failed { class: error.class, message: with_causes(&error.source) }
}

/// A unit of another kind than its run.
pub(super) fn other_kind(work: &Work) -> Failed {
    let message = format!("unit {} is of another kind than its run", work.lease.unit);
    Failed { class: FailureClass::Infrastructure, message }
}

/// A failure of the worker's surroundings, with its causes.
fn cannot(doing: &str, error: &dyn std::error::Error) -> Failed {
    let message = format!("cannot {doing}: {}", with_causes(error));
    Failed { class: FailureClass::Infrastructure, message }
}

/// An error and what it comes from, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
