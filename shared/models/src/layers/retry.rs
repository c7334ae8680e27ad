//! The retry loop of one call. Each attempt is held for, waits for a slot, and gives the slot back
//! before the pause.

use std::collections::BTreeMap;
use std::time::Duration;

use super::ticket::Ticket;
use super::trace;
use crate::error::Error;
use crate::failure::CallFailure;
use crate::limiter::Limiter;
use crate::models::Binding;
use crate::request::ModelRequest;
use crate::response::ModelResponse;

/// An answer and what it took.
pub(crate) struct Answered {
    pub(crate) response: ModelResponse,
    /// Time that the attempts waited for the limiter.
    pub(crate) waited: Duration,
    /// Attempts before this one, by the class of their failure.
    pub(crate) retries: BTreeMap<String, u32>,
}

/// Gets an answer, or the failure after the last attempt.
pub(crate) async fn answer(
    binding: &Binding,
    limiter: &Limiter,
    request: &ModelRequest,
    ticket: &mut Ticket<'_>,
) -> Result<Answered, Error> {
    let mut budget = binding.policy.start();
    let (mut waited, mut retries) = (Duration::ZERO, BTreeMap::new());
    loop {
        ticket.hold().await?;
        let slot = limiter.enter(&binding.limit, &binding.limits, ticket.most().tokens).await;
        waited += slot.waited();
        let attempts = budget.made() + 1;
        let outcome = binding.provider.attempt(request).await;
        drop(slot);
        let failure = match outcome {
            Ok(response) => {
                trace::answered(&request.model, attempts, &response);
                return Ok(Answered { response, waited, retries });
            }
            Err(failure) => failure,
        };
        ticket.attempt_failed(failure.may_have_billed()).await?;
        match budget.after(failure.class, failure.retry_after) {
            Ok(delay) => {
                trace::retrying(&request.model, attempts, &failure, delay);
                *retries.entry(failure.class.label().to_owned()).or_default() += 1;
                tokio::time::sleep(delay).await;
            }
            Err(gave_up) => {
                trace::gave_up(&request.model, attempts, &failure, &gave_up);
                let model = request.model.clone();
                return Err(Error::Call(Box::new(CallFailure { model, attempts, gave_up, last: failure })));
            }
        }
    }
}
