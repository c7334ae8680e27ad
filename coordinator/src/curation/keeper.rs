//! What is written down of a run, by its kind: a construction's packets become banks, an evaluation's
//! episodes become a report. Everything around it is the same.

use std::sync::Arc;

use palaestra_domain::run_file::RunFile;
use palaestra_domain::{Digest, RunName, Unit};
use palaestra_methods::Submitted;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::model::ConstructionModel;
use palaestra_methods::contramem::run::{Curation, Ended, OnStage};
use palaestra_methods::evaluation_run::Evaluation;
use palaestra_store::Store;

use super::sequencer::Sequencer;
use super::stall::Stop;
use crate::state::Run;

/// The one writer of a run's streams.
pub(super) enum Keeper {
    /// Builds banks, as the run file says.
    Construction(Box<Curation>, Box<RunFile>),
    /// Keeps episodes.
    Evaluation(Box<Evaluation>),
}

impl Keeper {
    /// Opens a run by its submission.
    pub(super) async fn open(
        store: Arc<dyn Store>,
        run: &RunName,
        submission: &[u8],
        on_stage: OnStage,
    ) -> Result<Self, MethodError> {
        match Submitted::decode(submission)? {
            Submitted::Construction(submission) => {
                let run_file = Box::new(submission.run.clone());
                let curation = Curation::open(store, run, *submission, on_stage).await?;
                Ok(Self::Construction(Box::new(curation), run_file))
            }
            Submitted::Evaluation(submission) => {
                let evaluation = Evaluation::open(store, run, *submission, on_stage).await?;
                Ok(Self::Evaluation(Box::new(evaluation)))
            }
        }
    }

    /// Who says whose turn it is among the run's units.
    pub(super) fn sequencer(&self) -> fn(&Run) -> Sequencer {
        match self {
            Self::Construction(..) => Sequencer::of,
            Self::Evaluation(_) => Sequencer::of_measured,
        }
    }

    /// Records how the unit in this place ended. Recording it again changes nothing.
    pub(super) async fn record(&mut self, place: u32, unit: &Unit, ended: Ended) -> Result<(), MethodError> {
        match self {
            Self::Construction(curation, _) => curation.record(unit, ended).await,
            Self::Evaluation(evaluation) => evaluation.record(place, unit, ended).await,
        }
    }

    /// What the run came to, once it is finished: its bank's hash, or its report's address.
    pub(super) fn finished(&self) -> Option<Digest> {
        match self {
            Self::Construction(curation, _) => curation.finished(),
            Self::Evaluation(evaluation) => evaluation.finished(),
        }
    }

    /// Does what is left once all units have ended; `model` makes who builds and curates.
    pub(super) async fn finish(
        self,
        model: impl FnOnce(&RunFile) -> Result<Arc<dyn ConstructionModel>, Stop>,
    ) -> Result<Digest, Stop> {
        match self {
            Self::Construction(curation, run_file) => {
                let model = model(&run_file)?;
                Ok(curation.finish(model).await?.digest())
            }
            Self::Evaluation(evaluation) => Ok(evaluation.finish().await?),
        }
    }
}
