//! The retry loop of one call. Each attempt is reserved for, waits for a slot, and gives the slot
//! back before the pause.

use palaestra_runtime::RetryPolicy;

use super::budget::Ticket;
use super::limit::Lane;
use super::trace;
use crate::error::Error;
use crate::failure::CallFailure;
use crate::providers::Provider;
use crate::request::ModelRequest;
use crate::response::ModelResponse;

/// Gets an answer, or the failure after the last attempt.
pub(crate) async fn answer(
    provider: &dyn Provider,
    lane: &Lane,
    policy: &RetryPolicy,
    request: &ModelRequest,
    (ticket, tokens): (&mut Ticket, u64),
) -> Result<ModelResponse, Error> {
    let mut retries = policy.start();
    loop {
        ticket.hold().await?;
        let slot = lane.enter(tokens).await;
        ticket.sent();
        let attempts = retries.made() + 1;
        let outcome = provider.attempt(request).await;
        drop(slot);
        let failure = match outcome {
            Ok(response) => {
                trace::answered(&request.model, attempts, &response);
                return Ok(response);
            }
            Err(failure) => failure,
        };
        ticket.failed(failure.may_have_billed());
        match retries.after(failure.class, failure.retry_after) {
            Ok(delay) => {
                trace::retrying(&request.model, attempts, &failure, delay);
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
