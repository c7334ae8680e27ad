//! What is answered must be on the disk first, and what is met on the way is counted.

use palaestra_coordinator::Answer;
use palaestra_coordinator::state::{Command, Refusal, State, UnitState};
use palaestra_domain::{Lease, UnitId, WorkerId};

use super::log::Checker;

impl Checker {
    /// Checks an answer to a command that `asker` sent.
    pub fn meet(
        &mut self,
        state: &State,
        asker: Option<&WorkerId>,
        command: &Command,
        answer: &Result<Answer, Refusal>,
    ) -> Result<(), String> {
        match (command, answer) {
            (Command::RequestUnits { .. }, Ok(Answer::Units(grants))) => {
                match grants.iter().find(|grant| !self.leases.contains(&grant.lease)) {
                    Some(grant) => Err(format!("{} was handed out and is not on the disk", grant.lease)),
                    None => Ok(()),
                }
            }
            (Command::Result { lease, .. }, Ok(_)) => self.acknowledge(lease),
            (_, Err(Refusal::Stale { lease, .. })) => {
                self.coverage.stale_refused = self.coverage.stale_refused.saturating_add(1);
                let is_result = matches!(command, Command::Result { .. });
                if is_result && asker.is_some() && holder(state, &lease.unit) == asker {
                    let late = &mut self.coverage.late_in_same_process;
                    *late = late.saturating_add(1);
                }
                Ok(())
            }
            (_, Err(Refusal::StaleTerm { .. })) => {
                self.coverage.stale_terms = self.coverage.stale_terms.saturating_add(1);
                Ok(())
            }
            (_, Err(Refusal::BudgetExhausted { .. } | Refusal::BudgetHeld { .. })) => {
                self.coverage.budget_refused = self.coverage.budget_refused.saturating_add(1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn acknowledge(&mut self, lease: &Lease) -> Result<(), String> {
        if !self.committed.contains(lease) {
            return Err(format!("the result of {lease} was acknowledged and is not on the disk"));
        }
        if !self.acknowledged.insert(lease.clone()) {
            self.coverage.repeated_results = self.coverage.repeated_results.saturating_add(1);
        }
        Ok(())
    }
}

fn holder<'a>(state: &'a State, unit: &UnitId) -> Option<&'a WorkerId> {
    match &state.unit(unit).ok()?.1.state {
        UnitState::Leased { worker, .. } => Some(worker),
        _ => None,
    }
}
