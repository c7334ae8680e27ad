//! What is refused inside, in the words of the wire. A caller hears what it can act on; what broke in
//! here is logged in here.

use palaestra_domain::Spend;
use palaestra_proto::{Problem, Reason};
use palaestra_store::Error as StoreError;

use crate::books::BooksError;
use crate::core::AskError;
use crate::state::Refusal;

/// Why the core did not do something.
pub(super) fn ask(error: &AskError) -> Problem {
    match error {
        AskError::Refused(refusal) => machine(refusal),
        AskError::Unavailable | AskError::Over => Problem::new(Reason::Unavailable, error.to_string()),
    }
}

/// Why the machine refuses.
fn machine(refusal: &Refusal) -> Problem {
    let reason = match refusal {
        Refusal::UnknownRun { .. } | Refusal::UnknownUnit { .. } | Refusal::UnknownLimit { .. } => {
            Reason::NotFound
        }
        Refusal::RunExists { .. } => Reason::RunExists,
        Refusal::BadRun { .. } | Refusal::WrongTally { .. } => Reason::Malformed,
        Refusal::RunOver { .. } => Reason::RunOver,
        Refusal::StaleTerm { .. } | Refusal::Stale { .. } | Refusal::NotLeased { .. } => Reason::StaleLease,
        Refusal::UnknownWorker { .. } => Reason::UnknownWorker,
        Refusal::Ended { .. } => Reason::UnitEnded,
        Refusal::BudgetExhausted { .. } => Reason::BudgetExhausted,
        Refusal::BudgetHeld { .. } => Reason::BudgetHeld,
        Refusal::RunOpen { .. } | Refusal::UnknownCall { .. } | Refusal::CallUsed { .. } => Reason::Conflict,
    };
    let problem = Problem::new(reason, refusal.to_string());
    match refusal {
        Refusal::Stale { current, .. } => problem.with("epoch", current.0),
        Refusal::BudgetExhausted { need, spent, limits } => {
            let problem = amount(amount(problem, "need", *need), "spent", *spent);
            let problem = limits.usd.into_iter().fold(problem, |p, usd| p.with("limit_nano_usd", usd.0));
            limits.tokens.into_iter().fold(problem, |p, tokens| p.with("limit_tokens", tokens))
        }
        Refusal::BudgetHeld { need, held } => amount(amount(problem, "need", *need), "held", *held),
        _ => problem,
    }
}

fn amount(problem: Problem, name: &str, spend: Spend) -> Problem {
    problem.with(&format!("{name}_nano_usd"), spend.usd.0).with(&format!("{name}_tokens"), spend.tokens)
}

/// Why the store did not do something. Its own words name files and servers, so they stay here.
pub(super) fn store(error: &StoreError) -> Problem {
    match error {
        StoreError::BlobMissing { digest, .. } => {
            Problem::new(Reason::NotFound, format!("there is no blob {digest}; put it first"))
                .with("digest", digest)
        }
        StoreError::BlobTorn { digest, .. } => {
            tracing::error!(%error, "a blob is torn");
            Problem::new(Reason::NotFound, format!("blob {digest} is torn; put it again from its origin"))
                .with("digest", digest)
        }
        StoreError::AnswerExists { .. } => Problem::new(
            Reason::Conflict,
            "the call has another answer already; recall it and act on that one",
        ),
        StoreError::AnswerWithoutIntent { .. } => {
            Problem::new(Reason::Conflict, "the call was not announced; announce it before it is made")
        }
        StoreError::TooLarge { .. } => {
            Problem::new(Reason::TooLarge, "the value is larger than the store can hold")
        }
        StoreError::Newer { .. }
        | StoreError::NotOurs { .. }
        | StoreError::Damaged { .. }
        | StoreError::UnreadableEvent { .. }
        | StoreError::Value(_) => {
            tracing::error!(%error, "the store holds something unreadable");
            Problem::new(Reason::Internal, "the coordinator's store holds something unreadable; see its log")
        }
        _ => {
            tracing::warn!(%error, "the store did not serve");
            Problem::new(Reason::Unavailable, "the coordinator's store cannot serve now; try again")
        }
    }
}

/// Why the books did not do something.
pub(super) fn books(error: &BooksError) -> Problem {
    match error {
        BooksError::Ask(error) => ask(error),
        BooksError::Store(error) => store(error),
    }
}
