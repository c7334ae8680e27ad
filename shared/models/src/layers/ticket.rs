//! One call's standing with its account: announced before it is made, held for before each attempt,
//! and closed with an answer or without one.

use palaestra_domain::{BudgetLimits, Digest, Spend};
use palaestra_store::CallKey;

use crate::account::{Account, AccountError, Hold};
use crate::error::{Amount, Error};
use crate::request::ModelRef;

/// One call.
///
/// Dropping it in the middle of an attempt leaves its hold open, which the account counts as lost
/// when the work's lease ends.
pub(crate) struct Ticket<'a> {
    account: &'a dyn Account,
    key: &'a CallKey,
    model: &'a ModelRef,
    request: Digest,
    most: Spend,
    hold: Option<Hold>,
    lost_attempts: u32,
}

impl<'a> Ticket<'a> {
    /// Holds `most` for the first attempt, then announces the call: what the budget refuses leaves no
    /// trace.
    pub(crate) async fn open(
        account: &'a dyn Account,
        key: &'a CallKey,
        model: &'a ModelRef,
        request: Digest,
        most: Spend,
    ) -> Result<Self, Error> {
        let mut ticket = Self { account, key, model, request, most, hold: None, lost_attempts: 0 };
        let hold = ticket.hold().await?;
        if let Err(error) = account.intend(key, request).await {
            ticket.told("give back a hold", account.release(hold).await);
            return Err(failed(key, error));
        }
        Ok(ticket)
    }

    /// The most that one attempt may cost.
    pub(crate) fn most(&self) -> Spend {
        self.most
    }

    /// Makes sure that the next attempt is held for. Waits while other calls hold what is left.
    pub(crate) async fn hold(&mut self) -> Result<Hold, Error> {
        if let Some(hold) = self.hold {
            return Ok(hold);
        }
        let hold = self.account.reserve(self.most).await.map_err(|error| match error {
            AccountError::Exhausted { needed, spent, limits } => {
                exhausted(self.key, self.model, needed, spent, limits)
            }
            other => failed(self.key, other),
        })?;
        self.hold = Some(hold);
        Ok(hold)
    }

    /// The attempt failed. When it may have been billed, its hold is gone; else it serves the next.
    pub(crate) async fn attempt_failed(&mut self, may_have_billed: bool) -> Result<(), Error> {
        if !may_have_billed {
            return Ok(());
        }
        self.lost_attempts += 1;
        match self.hold.take() {
            Some(hold) => self.account.lost(hold).await.map_err(|error| failed(self.key, error)),
            None => Ok(()),
        }
    }

    /// Attempts of this call that came to nothing and may have been billed.
    pub(crate) fn lost_attempts(&self) -> u32 {
        self.lost_attempts
    }

    /// The call is answered: the answer is durable, then the hold becomes what was used.
    pub(crate) async fn answer(mut self, record: Vec<u8>, used: Spend) -> Result<(), Error> {
        let hold = self.hold().await?;
        let answered = self.account.answer(self.key, self.request, record, hold, used).await;
        answered.map_err(|error| failed(self.key, error))
    }

    /// There will be no answer. The reason is the caller's to report, so what fails here is only
    /// logged; the account then counts more than was spent, never less.
    pub(crate) async fn give_up(self) {
        if let Some(hold) = self.hold {
            self.told("give back a hold", self.account.release(hold).await);
        }
        if self.lost_attempts == 0 {
            self.told("take a call back", self.account.withdraw(self.key, self.request).await);
        }
    }

    fn told(&self, action: &str, outcome: Result<(), AccountError>) {
        if let Err(error) = outcome {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(call.key = %self.key, error, "cannot {action}, so it counts as maybe billed");
        }
    }
}

/// The failure of an account in this crate's words.
pub(crate) fn failed(key: &CallKey, error: AccountError) -> Error {
    match error {
        AccountError::LeaseOver { what } => Error::LeaseOver { what },
        source => Error::Account { key: key.to_string(), source },
    }
}

/// The refusal in the unit that does not fit.
fn exhausted(key: &CallKey, model: &ModelRef, needed: Spend, spent: Spend, limits: BudgetLimits) -> Error {
    let usd = limits.usd.map(|limit| (needed.usd, limit.saturating_sub(spent.usd), limit));
    let tokens = limits.tokens.map(|limit| (needed.tokens, limit.saturating_sub(spent.tokens), limit));
    let (needed, left, limit) = match (usd, tokens) {
        (Some((needed, left, limit)), _) if needed > left => {
            (Amount::Usd(needed), Amount::Usd(left), Amount::Usd(limit))
        }
        (_, Some((needed, left, limit))) => {
            (Amount::Tokens(needed), Amount::Tokens(left), Amount::Tokens(limit))
        }
        _ => return failed(key, AccountError::Exhausted { needed, spent, limits }),
    };
    Error::BudgetExhausted { model: model.to_string(), needed, left, limit }
}

#[cfg(test)]
mod tests {
    use palaestra_domain::NanoUsd;

    use super::*;

    #[test]
    fn a_refusal_names_the_unit_that_does_not_fit() {
        let key = CallKey { scope: "s".into(), ordinal: 0 };
        let model = ModelRef { provider: "openai".into(), base_url: String::new(), model: "m".into() };
        let needed = Spend { usd: NanoUsd(1_000_000), tokens: 50 };
        let spent = Spend { usd: NanoUsd(999_500_000), tokens: 54 };
        let words = |usd, tokens| {
            let limits = BudgetLimits { usd, tokens };
            exhausted(&key, &model, needed, spent, limits).to_string()
        };
        let dollar = Some(NanoUsd(NanoUsd::PER_USD));
        assert!(words(dollar, None).contains("need $0.0010, and $0.0005 of $1.0000 is left"));
        assert!(words(None, Some(100)).contains("need 50 tokens, and 46 tokens of 100 tokens is left"));
        assert!(words(Some(NanoUsd(2 * NanoUsd::PER_USD)), Some(100)).contains("46 tokens of 100 tokens"));
    }
}
