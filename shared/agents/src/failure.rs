//! What a failure of the way to a model says about the attempt that met it.

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_environments::wire::AskError;
use palaestra_models::Error;
use palaestra_runtime::ErrorClass;

use crate::session::Stop;

/// The end of an attempt whose agent got no answer. The client has made all its retries; none is
/// added here.
pub(crate) fn stop(error: Error) -> Stop {
    if is_overflow(&error) {
        // The conversation only grows, so asking again is of no use.
        return Stop::Unable("context window exceeded before a final response".to_owned());
    }
    Stop::Model(class(&error), Box::new(error))
}

/// A question of the environment that got no answer.
pub(crate) fn unanswered(error: Error) -> AskError {
    AskError { class: class(&error), source: Box::new(error) }
}

/// A question that nobody can answer here.
pub(crate) fn infrastructure(why: String) -> AskError {
    AskError { class: UnresolvedClass::Infrastructure, source: why.into() }
}

fn is_overflow(error: &Error) -> bool {
    matches!(error, Error::Call(failure) if failure.last.class == ErrorClass::ContextOverflow)
}

fn class(error: &Error) -> UnresolvedClass {
    match error {
        Error::Call(_) => UnresolvedClass::Provider,
        Error::BudgetExhausted { .. } => UnresolvedClass::Budget,
        Error::LeaseOver { .. } => UnresolvedClass::Preempted,
        _ => UnresolvedClass::Infrastructure,
    }
}
