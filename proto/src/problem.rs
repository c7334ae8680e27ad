//! What was refused and why, in a small vocabulary that programs can act on.
//!
//! A [`Problem`] travels as a gRPC status with a `google.rpc.ErrorInfo` (reason, domain, metadata),
//! so that any client can read it.

use std::collections::{BTreeMap, HashMap};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// The domain of all our reasons in `google.rpc.ErrorInfo`.
const DOMAIN: &str = "palaestra.dev";

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $code:ident;)*) => {
        /// Why something was refused: the whole vocabulary of the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The reason on the wire, and as a metric label.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The gRPC code that it travels under.
            #[must_use]
            pub fn code(self) -> Code {
                match self { $(Self::$name => Code::$code,)* }
            }
        }
    };
}

reasons! {
    /// The unit has been taken back or handed out again since: drop the work.
    StaleLease = "STALE_LEASE", FailedPrecondition;
    /// The unit has its result, or will have none: drop the work.
    UnitEnded = "UNIT_ENDED", FailedPrecondition;
    /// The worker is not registered, or was silent for too long: register again.
    UnknownWorker = "UNKNOWN_WORKER", FailedPrecondition;
    /// The run's budget does not allow the call, now or ever.
    BudgetExhausted = "BUDGET_EXHAUSTED", ResourceExhausted;
    /// Other calls hold what is left of the budget: ask again.
    BudgetHeld = "BUDGET_HELD", Aborted;
    /// There is no such run, unit, bank, blob or limit.
    NotFound = "NOT_FOUND", NotFound;
    /// The name is taken by another run.
    RunExists = "RUN_EXISTS", AlreadyExists;
    /// The run is over and stays as it is.
    RunOver = "RUN_OVER", FailedPrecondition;
    /// The message cannot mean anything: a field is missing or makes no sense.
    Malformed = "MALFORMED", InvalidArgument;
    /// The message contradicts what is recorded, for example another answer to the same call.
    Conflict = "CONFLICT", FailedPrecondition;
    /// The message, the stream or the blob is larger than allowed.
    TooLarge = "TOO_LARGE", OutOfRange;
    /// Too many requests on this connection: slow down.
    TooMany = "TOO_MANY", ResourceExhausted;
    /// No token, or one that does not give this right.
    Unauthenticated = "UNAUTHENTICATED", Unauthenticated;
    /// The coordinator cannot serve now (it starts, stops, stands by, or its store is away): try again.
    Unavailable = "UNAVAILABLE", Unavailable;
    /// The coordinator has a fault.
    Internal = "INTERNAL", Internal;
}

impl Reason {
    /// The reason of a wire text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.as_str() == text)
    }

    /// Whether the same request may succeed later without anybody changing it.
    #[must_use]
    pub fn retryable(self) -> bool {
        matches!(self, Self::BudgetHeld | Self::TooMany | Self::Unavailable)
    }
}

/// Something that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// Why.
    pub reason: Reason,
    /// For people: what was tried, on what, and what to do.
    pub message: String,
    /// For programs: names and numbers, for example the unit's epoch.
    pub details: BTreeMap<String, String>,
}

impl Problem {
    /// The detail of a conflict that says that another process has the worker's name now: the worker
    /// ends.
    pub const ANOTHER_PROCESS: &str = "another_process";

    /// A problem without details.
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), details: BTreeMap::new() }
    }

    /// The problem with one more detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.details.insert(name.to_owned(), value.to_string());
        self
    }
}

impl From<Problem> for Status {
    fn from(problem: Problem) -> Self {
        let Problem { reason, message, details } = problem;
        let metadata: HashMap<String, String> = details.into_iter().collect();
        let details = ErrorDetails::with_error_info(reason.as_str(), DOMAIN, metadata);
        Self::with_error_details(reason.code(), message, details)
    }
}

impl From<&Status> for Problem {
    /// A status that is not one of ours is read by its code: a peer that cannot be reached or gave up
    /// is unavailable.
    fn from(status: &Status) -> Self {
        let info = status.get_details_error_info().filter(|info| info.domain == DOMAIN);
        if let Some((reason, info)) = info.and_then(|info| Some((Reason::parse(&info.reason)?, info))) {
            let details = info.metadata.into_iter().collect();
            return Self { reason, message: status.message().to_owned(), details };
        }
        let reason = match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => Reason::Unauthenticated,
            Code::NotFound => Reason::NotFound,
            Code::InvalidArgument => Reason::Malformed,
            Code::OutOfRange => Reason::TooLarge,
            Code::ResourceExhausted => Reason::TooMany,
            Code::Unimplemented | Code::Internal | Code::DataLoss => Reason::Internal,
            _ => Reason::Unavailable,
        };
        Self::new(reason, status.message())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_survives_the_wire() {
        for reason in Reason::ALL {
            let problem = Problem::new(*reason, "units cannot be found").with("epoch", 7);
            let status = Status::from(problem.clone());
            assert_eq!(status.code(), reason.code());
            assert_eq!(Problem::from(&status), problem);
        }
    }

    #[test]
    fn a_foreign_status_is_read_by_its_code() {
        assert_eq!(Problem::from(&Status::unavailable("refused")).reason, Reason::Unavailable);
        assert_eq!(Problem::from(&Status::permission_denied("no")).reason, Reason::Unauthenticated);
    }
}
