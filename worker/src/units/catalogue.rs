//! Which kind of unit is done by whom.

use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::{FailureClass, UnitKind};
use palaestra_environments::Worlds;
use palaestra_models::Limiter;
use palaestra_proto::convert::name_of;
use palaestra_runtime::Clock;

use super::prepared::Runs;
use super::{evaluation_episode, reference_task};
use crate::execute::{Done, Execute, Failed, Work};

/// Does every kind of unit that this program knows.
pub(crate) struct Units {
    runs: Runs,
}

impl Units {
    /// All units share the limiter.
    pub(crate) fn new(clock: Arc<dyn Clock>, limiter: Arc<Limiter>, worlds: Arc<Worlds>) -> Self {
        Self { runs: Runs::new(clock, limiter, worlds) }
    }
}

#[async_trait]
impl Execute for Units {
    async fn execute(&self, work: Work) -> Result<Done, Failed> {
        match work.unit.kind {
            UnitKind::ReferenceTask => reference_task::execute(&self.runs, work).await,
            UnitKind::EvaluationEpisode => evaluation_episode::execute(&self.runs, work).await,
            kind @ UnitKind::PracticeSession => Err(Failed {
                class: FailureClass::Infrastructure,
                message: format!(
                    "cannot do {}: this program does not know units of kind {}; start a newer worker",
                    work.lease.unit,
                    name_of(&kind)
                ),
            }),
        }
    }
}
