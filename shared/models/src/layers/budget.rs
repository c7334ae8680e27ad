//! The budget: hard, per run, in dollars, tokens or both. A call reserves the most that it may need
//! before anything is sent, and settles at what it used. What is refused was not spent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use palaestra_domain::NanoUsd;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::error::{Amount, Error};
use crate::request::ModelRef;

/// Limits of a run; absent for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Money.
    pub usd: Option<NanoUsd>,
    /// Tokens, prompt and completion together.
    pub tokens: Option<u64>,
}

/// An amount in both of a budget's units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// Money; zero where no price is known.
    pub usd: NanoUsd,
    /// Tokens, prompt and completion together.
    pub tokens: u64,
}

impl Spend {
    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { usd: self.usd.saturating_add(other.usd), tokens: self.tokens.saturating_add(other.tokens) }
    }

    fn minus(self, other: Self) -> Self {
        Self { usd: self.usd.saturating_sub(other.usd), tokens: self.tokens.saturating_sub(other.tokens) }
    }

    pub(crate) fn times(self, count: u32) -> Self {
        Self {
            usd: NanoUsd(self.usd.0.saturating_mul(count.into())),
            tokens: self.tokens.saturating_mul(count.into()),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    spent: Spend,
    reserved: Spend,
}

/// The run's budget, shared by all calls.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: BudgetLimits,
    state: Mutex<State>,
    changed: Notify,
}

impl Budget {
    /// A budget of which `spent` is used already, by earlier processes of the same run.
    pub(crate) fn new(limits: BudgetLimits, spent: Spend) -> Arc<Self> {
        let state = Mutex::new(State { spent, reserved: Spend::default() });
        Arc::new(Self { limits, state, changed: Notify::new() })
    }

    /// What is spent, without reservations.
    pub(crate) fn spent(&self) -> Spend {
        self.state().spent
    }

    /// Counts what earlier processes may have spent without an answer.
    pub(crate) fn charge(&self, amount: Spend) {
        let mut state = self.state();
        state.spent = state.spent.plus(amount);
    }

    /// A ticket for a call that needs at most `need`; nothing is reserved yet.
    pub(crate) fn ticket(self: &Arc<Self>, model: &ModelRef, need: Spend) -> Ticket {
        Ticket {
            budget: Arc::clone(self),
            model: model.clone(),
            need,
            held: false,
            in_flight: false,
            lost: Spend::default(),
            lost_attempts: 0,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves `need`: `Ok(true)` when it is reserved, `Ok(false)` when other calls must settle
    /// first, an error when it can never fit.
    fn try_reserve(&self, model: &ModelRef, need: Spend) -> Result<bool, Error> {
        let mut state = self.state();
        let mut fits = true;
        let spent = state.spent;
        let held = spent.plus(state.reserved);
        let usd = self.limits.usd.map(|limit| (limit.0, spent.usd.0, held.usd.0, need.usd.0));
        let tokens = self.limits.tokens.map(|limit| (limit, spent.tokens, held.tokens, need.tokens));
        let as_usd = |nano| Amount::Usd(NanoUsd(nano));
        for (row, unit) in [(usd, as_usd as fn(u64) -> Amount), (tokens, Amount::Tokens)] {
            let Some((limit, spent, held, need)) = row else { continue };
            let left = limit.saturating_sub(spent);
            if need > left {
                return Err(Error::BudgetExhausted {
                    model: model.to_string(),
                    needed: unit(need),
                    left: unit(left),
                    limit: unit(limit),
                });
            }
            fits &= need <= limit.saturating_sub(held);
        }
        if fits {
            state.reserved = state.reserved.plus(need);
        }
        Ok(fits)
    }

    /// Turns a reservation into `spent` (nothing, the whole, or what was really used).
    fn release(&self, need: Spend, spent: Spend) {
        let mut state = self.state();
        state.reserved = state.reserved.minus(need);
        state.spent = state.spent.plus(spent);
        drop(state);
        self.changed.notify_waiters();
    }
}

/// One call's hold on the budget. Dropping it in the middle of an attempt counts the reservation as
/// spent: the service may have billed.
#[derive(Debug)]
pub(crate) struct Ticket {
    budget: Arc<Budget>,
    model: ModelRef,
    need: Spend,
    held: bool,
    in_flight: bool,
    lost: Spend,
    lost_attempts: u32,
}

impl Ticket {
    /// Makes sure that the next attempt is reserved for. Waits while other calls hold what is left.
    pub(crate) async fn hold(&mut self) -> Result<(), Error> {
        while !self.held {
            let budget = Arc::clone(&self.budget);
            let mut changed = std::pin::pin!(budget.changed.notified());
            // Registered before the look, so that no settlement in between is missed.
            changed.as_mut().enable();
            self.held = budget.try_reserve(&self.model, self.need)?;
            if !self.held {
                changed.await;
            }
        }
        Ok(())
    }

    /// An attempt is about to be sent.
    pub(crate) fn sent(&mut self) {
        self.in_flight = true;
    }

    /// The attempt failed. When it may have been billed, its reservation is gone.
    pub(crate) fn failed(&mut self, may_have_billed: bool) {
        self.in_flight = false;
        if may_have_billed {
            self.held = false;
            self.lost = self.lost.plus(self.need);
            self.lost_attempts += 1;
            self.budget.release(self.need, self.need);
        }
    }

    /// The call is answered: the reservation becomes what was used. Answers what earlier attempts of
    /// this call may have cost, and how many they were.
    pub(crate) fn settle(mut self, used: Spend) -> (Spend, u32) {
        self.held = false;
        self.budget.release(self.need, used);
        (self.lost, self.lost_attempts)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.held {
            self.budget.release(self.need, if self.in_flight { self.need } else { Spend::default() });
        }
    }
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
