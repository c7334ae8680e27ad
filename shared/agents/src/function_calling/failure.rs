//! What a failure of the way to the model says about the attempt.

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_models::Error;
use palaestra_runtime::ErrorClass;

use crate::session::Stop;

/// The end of the attempt. The client has made all its retries; none is added here.
pub(super) fn stop(error: Error) -> Stop {
    let class = match &error {
        // The conversation only grows, so asking again is of no use.
        Error::Call(failure) if failure.last.class == ErrorClass::ContextOverflow => {
            return Stop::Unable("context window exceeded before a final response".to_owned());
        }
        Error::Call(_) => UnresolvedClass::Provider,
        Error::BudgetExhausted { .. } => UnresolvedClass::Budget,
        Error::LeaseOver { .. } => UnresolvedClass::Preempted,
        _ => UnresolvedClass::Infrastructure,
    };
    Stop::Model(class, Box::new(error))
}
