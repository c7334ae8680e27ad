//! One attempt at the curation of one run: records the ends of its units as their turn comes, and
//! builds the banks, or the report, once all have ended. What an earlier attempt did is found again.

use std::sync::Arc;

use palaestra_domain::{Digest, RunName, Unit};
use palaestra_methods::contramem::run::{Ended, OnStage};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::account::CurationAccount;
use super::keeper::Keeper;
use super::models::Constructors;
use super::sequencer::Sequencer;
use super::stall::Stop;
use crate::books::Books;
use crate::core::{AskError, Core};
use crate::effect::Answer;
use crate::news::News;
use crate::state::{Command, Payer, Refusal, Run, RunPhase, State, UnitState};

/// Units whose ends are looked up at once, so that the core never stands still for long.
const UNITS_PER_LOOK: usize = 256;

/// How an attempt came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The bank is frozen, or the report is kept.
    Frozen(Digest),
    /// The run was cancelled.
    Cancelled,
}

/// What an attempt needs.
pub(super) struct Gathering {
    pub(super) core: Core,
    pub(super) books: Books,
    pub(super) constructors: Arc<dyn Constructors>,
    pub(super) run: RunName,
    pub(super) on_stage: OnStage,
}

impl Gathering {
    pub(super) async fn curate(self) -> Result<Outcome, Stop> {
        // First listened, then looked: nothing falls between.
        let mut news = self.core.news();
        let run = self.run.clone();
        let submission = move |state: &State| state.run(&run).map(|run| run.spec().submission);
        let submission = seen(self.core.view(submission).await)?;
        let bytes = self.core.store().blob_get(submission).await?;
        let store = Arc::clone(self.core.store());
        let mut keeper = Keeper::open(store, &self.run, &bytes, self.on_stage.clone()).await?;
        if self.gather(&mut keeper, &mut news).await? == RunPhase::Cancelled {
            return Ok(Outcome::Cancelled);
        }
        let begun = self.core.ask(Command::BeginCuration { run: self.run.clone() }).await?;
        let Answer::Term(term) = begun else { return Err(Stop::Ask(AskError::Over)) };
        let bank = match keeper.finished() {
            Some(bank) => bank,
            None => {
                let payer = Payer::Curation { run: self.run.clone(), term };
                let account = CurationAccount::new(self.books.clone(), payer);
                keeper.finish(|run_file| self.constructors.make(run_file, Arc::new(account))).await?
            }
        };
        self.core.ask(Command::Freeze { run: self.run.clone(), term, bank }).await?;
        Ok(Outcome::Frozen(bank))
    }

    /// Records ends until the run is over.
    async fn gather(&self, keeper: &mut Keeper, news: &mut Receiver<News>) -> Result<RunPhase, Stop> {
        let order = keeper.sequencer();
        let mut sequencer = self.sequencer(order).await?;
        loop {
            for turns in sequencer.turns().chunks(UNITS_PER_LOOK) {
                for (place, unit, ended) in self.ends(turns.to_vec()).await? {
                    keeper.record(place, &unit, ended).await?;
                }
            }
            let run = self.run.clone();
            let phase = seen(self.core.view(move |state| state.run(&run).map(Run::phase)).await)?;
            match phase {
                RunPhase::Cancelled => return Ok(phase),
                RunPhase::Finished if sequencer.is_done() => return Ok(phase),
                // Its last units have ended already, and their news are on the way.
                RunPhase::Finished | RunPhase::Active | RunPhase::Paused | RunPhase::OutOfBudget => {}
            }
            if !self.listen(news, &mut sequencer).await? {
                sequencer = self.sequencer(order).await?;
            }
        }
    }

    /// Waits until something has happened to the run. False when it may have been missed.
    async fn listen(&self, news: &mut Receiver<News>, sequencer: &mut Sequencer) -> Result<bool, Stop> {
        let mut concerned = false;
        loop {
            // What is there already is taken in at once; only then is it waited for.
            let heard = match news.try_recv() {
                Err(TryRecvError::Empty) if concerned => return Ok(true),
                Err(TryRecvError::Empty) => news.recv().await,
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
                Err(TryRecvError::Lagged(count)) => Err(RecvError::Lagged(count)),
                Ok(heard) => Ok(heard),
            };
            match heard {
                Ok(News::Ended { unit, .. }) if unit.run == self.run => {
                    sequencer.end(unit.index);
                    concerned = true;
                }
                Ok(News::RunOver { run, .. }) if run == self.run => concerned = true,
                Ok(News::Submitted { run }) if run == self.run => return Ok(false),
                Ok(News::Reopened) | Err(RecvError::Lagged(_)) => return Ok(false),
                Ok(_) => {}
                Err(RecvError::Closed) => return Err(Stop::Ask(AskError::Over)),
            }
        }
    }

    async fn sequencer(&self, order: fn(&Run) -> Sequencer) -> Result<Sequencer, Stop> {
        let run = self.run.clone();
        seen(self.core.view(move |state| state.run(&run).map(order)).await)
    }

    /// The units in these places, and how each ended.
    async fn ends(&self, places: Vec<u32>) -> Result<Vec<(u32, Unit, Ended)>, Stop> {
        let run = self.run.clone();
        let look = move |state: &State| {
            let run = state.run(&run)?;
            let ends = places.into_iter().filter_map(|place| {
                let record = run.unit(place)?;
                let ended = match &record.state {
                    UnitState::Committed { result, .. } => Ended::Result(*result),
                    UnitState::Unresolved { class } => Ended::GaveUp(*class),
                    UnitState::Waiting { .. } | UnitState::Leased { .. } => return None,
                };
                Some((place, record.plan.clone(), ended))
            });
            Ok(ends.collect())
        };
        seen(self.core.view(look).await)
    }
}

/// What a look has shown.
fn seen<T>(look: Result<Result<T, Refusal>, AskError>) -> Result<T, Stop> {
    Ok(look?.map_err(AskError::Refused)?)
}
