//! One request and its answer, through outages: tried again until it is answered, refused for good, or
//! no longer wanted.

use std::time::Duration;

use palaestra_proto::{Problem, Reason};
use palaestra_runtime::{CancellationToken, ErrorClass};
use tonic::{Code, Status};

use super::connection::{Link, Service};

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// Nobody waits for the answer any more: the lease is over.
    #[error("the lease is over; drop the work")]
    Over,
    /// The coordinator refuses, and asking again would not help; or it was asked once only.
    #[error(transparent)]
    Refused(#[from] Problem),
}

/// What became of one attempt.
enum Attempt<T> {
    Answered(T),
    Refused(Problem),
    /// The same may succeed later.
    Later(Problem),
}

impl Link {
    /// Asks until there is an answer: through outages, restarts and changes of the leader, until `over`.
    /// An attempt that takes longer than `patience` is made again elsewhere, so the request must be one
    /// that may arrive twice.
    pub(crate) async fn call<T, F>(
        &self,
        over: &CancellationToken,
        patience: Duration,
        attempt: impl Fn(Service) -> F,
    ) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let mut retries = Self::policy().start();
        loop {
            let problem = tokio::select! {
                biased;
                () = over.cancelled() => return Err(CallError::Over),
                outcome = self.attempt(patience, &attempt) => match outcome {
                    Attempt::Answered(answer) => return Ok(answer),
                    Attempt::Refused(problem) => return Err(CallError::Refused(problem)),
                    Attempt::Later(problem) => problem,
                },
            };
            let class = match problem.reason {
                Reason::BudgetHeld | Reason::TooMany => ErrorClass::Overloaded,
                _ => ErrorClass::Connect,
            };
            let Ok(delay) = retries.after(class, None) else { return Err(CallError::Refused(problem)) };
            tracing::debug!(reason = problem.reason.as_str(), %problem, ?delay, "asks the coordinator again");
            tokio::select! {
                () = over.cancelled() => return Err(CallError::Over),
                () = tokio::time::sleep(delay) => {}
            }
        }
    }

    /// Asks every coordinator once, until one of them answers; each has so long. Other refusals than
    /// [`Reason::Unavailable`] come from the one that leads, and end it.
    ///
    /// # Errors
    /// What was refused, or that none could be reached.
    pub async fn ask<T, F>(&self, patience: Duration, attempt: impl Fn(Service) -> F) -> Result<T, Problem>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let mut left = self.peers();
        loop {
            let problem = match self.ask_once(patience, &attempt).await {
                Err(problem) if problem.reason == Reason::Unavailable => problem,
                answered => return answered,
            };
            left = left.saturating_sub(1);
            if left == 0 {
                return Err(problem);
            }
        }
    }

    /// Asks one coordinator once, for what must not arrive twice.
    pub(crate) async fn ask_once<T, F>(
        &self,
        patience: Duration,
        attempt: impl Fn(Service) -> F,
    ) -> Result<T, Problem>
    where
        F: Future<Output = Result<T, Status>>,
    {
        match self.attempt(patience, &attempt).await {
            Attempt::Answered(answer) => Ok(answer),
            Attempt::Refused(problem) | Attempt::Later(problem) => Err(problem),
        }
    }

    async fn attempt<T, F>(&self, patience: Duration, attempt: &impl Fn(Service) -> F) -> Attempt<T>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let (peer, service) = self.peer();
        let problem = match tokio::time::timeout(patience, attempt(service)).await {
            Ok(Ok(answer)) => return Attempt::Answered(answer),
            Ok(Err(status)) => {
                let problem = describe(&status);
                if !problem.reason.retryable() {
                    return Attempt::Refused(problem);
                }
                problem
            }
            Err(_) => Problem::new(
                Reason::Unavailable,
                format!("the coordinator did not answer within {} s", patience.as_secs()),
            ),
        };
        if problem.reason == Reason::Unavailable {
            self.leave(peer);
        }
        Attempt::Later(problem)
    }
}

/// A status as a problem. What the transport says (a connection that broke) is unavailable, with its
/// causes in the message, whatever code it goes by.
pub(crate) fn describe(status: &Status) -> Problem {
    let mut source = std::error::Error::source(status);
    let broken = matches!(
        status.code(),
        Code::Unknown | Code::Unavailable | Code::Internal | Code::Cancelled | Code::DeadlineExceeded
    );
    if source.is_none() || !broken {
        return Problem::from(status);
    }
    let mut message = status.message().to_owned();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        source = cause.source();
    }
    Problem::new(Reason::Unavailable, message)
}
