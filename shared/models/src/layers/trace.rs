//! What a call leaves in the log: names, classes and numbers; never a prompt, an answer or a key.

use std::time::Duration;

use palaestra_runtime::GaveUp;

use crate::failure::AttemptFailure;
use crate::request::ModelRef;
use crate::response::ModelResponse;

pub(super) fn answered(model: &ModelRef, attempt: u32, response: &ModelResponse) {
    tracing::debug!(
        model.provider = model.provider,
        model.name = model.model,
        call.attempt = attempt,
        call.finish = ?response.finish,
        tokens.input = response.usage.input,
        tokens.cached = response.usage.cached_input,
        tokens.output = response.usage.output,
        "model answered"
    );
}

pub(super) fn retrying(model: &ModelRef, attempt: u32, failure: &AttemptFailure, delay: Duration) {
    tracing::info!(
        model.provider = model.provider,
        model.name = model.model,
        call.attempt = attempt,
        error.class = failure.class.label(),
        error.status = failure.status,
        retry.delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
        "model call failed, trying again"
    );
}

pub(super) fn gave_up(model: &ModelRef, attempt: u32, failure: &AttemptFailure, gave_up: &GaveUp) {
    tracing::warn!(
        model.provider = model.provider,
        model.name = model.model,
        call.attempt = attempt,
        error.class = failure.class.label(),
        error.status = failure.status,
        "model call failed, {gave_up}"
    );
}
