//! What all units of a run share on a worker: its run file and its models, prepared once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use palaestra_domain::run_file::RunFile;
use palaestra_domain::{Digest, FailureClass};
use palaestra_methods::contramem::run::Submission;
use palaestra_models::{Limiter, ModelSettings, Models, ModelsBuilder, PriceTable};
use palaestra_runtime::Clock;
use palaestra_store::Blobs;
use tokio::sync::OnceCell;

use crate::execute::Failed;

/// How many runs are kept ready; the one that was used longest ago makes room.
const RUNS: usize = 16;

/// A run, ready for its units.
#[derive(Debug)]
pub(super) struct Prepared {
    pub run: Arc<RunFile>,
    /// The live sources' models; none where no source needs one.
    pub models: Option<Models>,
}

type Slot = Arc<OnceCell<Arc<Prepared>>>;

/// The runs that this worker met, by their submission.
pub(super) struct Runs {
    clock: Arc<dyn Clock>,
    limiter: Arc<Limiter>,
    /// The one that was used last comes last.
    ready: Mutex<Vec<(Digest, Slot)>>,
}

impl Runs {
    pub(super) fn new(clock: Arc<dyn Clock>, limiter: Arc<Limiter>) -> Self {
        Self { clock, limiter, ready: Mutex::default() }
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
        let submission = Submission::decode(&bytes);
        let run = submission.map_err(|error| cannot("understand the run's submission", &error))?.run;
        let models = self.models(&run).map_err(|error| cannot("reach the run's models", &error))?;
        Ok(Arc::new(Prepared { run: Arc::new(run), models }))
    }

    fn models(&self, run: &RunFile) -> Result<Option<Models>, palaestra_models::Error> {
        let live = run.spec.sources.iter().filter_map(|source| source.live_model());
        let live: BTreeSet<(String, String)> = live.map(|model| (model.provider, model.model)).collect();
        if live.is_empty() {
            return Ok(None);
        }
        let in_usd = run.spec.budget.usd.is_some();
        let (clock, limiter) = (Arc::clone(&self.clock), Arc::clone(&self.limiter));
        let mut builder = ModelsBuilder::new(clock, PriceTable::embedded()?, in_usd, limiter);
        for (provider, model) in live {
            // A provider that the run file does not describe is missed by the agent, which names it.
            if let Some(spec) = run.spec.providers.get(&provider) {
                builder.model(&ModelSettings::from_run_file(&model, spec))?;
            }
        }
        Ok(Some(builder.build()))
    }
}

/// A failure of the worker's surroundings, with its causes.
fn cannot(doing: &str, error: &dyn std::error::Error) -> Failed {
    let message = format!("cannot {doing}: {}", with_causes(error));
    Failed { class: FailureClass::Infrastructure, message }
}

/// An error and what it comes from, in one line.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
