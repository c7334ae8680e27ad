//! The fence: whether a message about a unit, or about a run's curation, may still say something.

use palaestra_domain::Lease;

use super::machine::State;
use super::payer::Payer;
use super::refusal::Refusal;
use super::run::{Run, RunPhase};
use super::unit::{UnitRecord, UnitState};

impl State {
    /// The run and the unit of a lease that is current. Only the epoch counts, whoever sends it:
    /// another slot of the same process may hold the unit again.
    ///
    /// # Errors
    /// When the lease is over, or never was.
    pub fn leased_unit(&self, lease: &Lease) -> Result<(&Run, &UnitRecord), Refusal> {
        let (run, unit) = self.unit(&lease.unit)?;
        match &unit.state {
            UnitState::Leased { epoch, .. } if *epoch == lease.epoch => Ok((run, unit)),
            other => Err(refuse(lease, other)),
        }
    }

    /// The run whose budget a payer may use now.
    ///
    /// # Errors
    /// When the lease or the term is over, or never was.
    pub fn pays(&self, payer: &Payer) -> Result<&Run, Refusal> {
        match payer {
            Payer::Lease(lease) => self.leased_unit(lease).map(|(run, _)| run),
            Payer::Curation { run: name, term } => {
                let run = self.run(name)?;
                match run.phase() {
                    RunPhase::Cancelled => Err(Refusal::RunOver { run: name.clone() }),
                    RunPhase::Active | RunPhase::Paused | RunPhase::OutOfBudget | RunPhase::Finished
                        if *term > 0 && run.term() == *term =>
                    {
                        Ok(run)
                    }
                    RunPhase::Active | RunPhase::Paused | RunPhase::OutOfBudget | RunPhase::Finished => {
                        let (run, term, current) = (name.clone(), *term, run.term());
                        Err(Refusal::StaleTerm { run, term, current })
                    }
                }
            }
        }
    }

    /// Whether a payer may pay, and reserved this call before.
    ///
    /// # Errors
    /// As [`Self::pays`], and [`Refusal::UnknownCall`].
    pub fn reserved(&self, payer: &Payer, call: u32) -> Result<(), Refusal> {
        match self.pays(payer)?.ledger.call(payer, call) {
            Some(_) => Ok(()),
            None => Err(Refusal::UnknownCall { payer: payer.clone(), call }),
        }
    }
}

/// Why a lease is not current.
pub(super) fn refuse(lease: &Lease, state: &UnitState) -> Refusal {
    let lease = lease.clone();
    match state {
        UnitState::Waiting { epoch, .. } | UnitState::Leased { epoch, .. } if lease.epoch < *epoch => {
            Refusal::Stale { lease, current: *epoch }
        }
        UnitState::Waiting { .. } | UnitState::Leased { .. } => Refusal::NotLeased { lease },
        UnitState::Committed { .. } | UnitState::Unresolved { .. } => Refusal::Ended { lease },
    }
}
