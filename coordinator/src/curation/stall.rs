//! Why a curation does not go on, and whether it may by itself.

use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_models::{AccountError, Error as ModelError};
use palaestra_runtime::ErrorClass;
use palaestra_store::Error as StoreError;

use crate::core::AskError;

/// Why one attempt at a run's curation ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    /// The coordinator does not answer.
    #[error("the coordinator did not answer")]
    Ask(#[from] AskError),
    /// The method stopped.
    #[error("the banks could not be built")]
    Method(#[from] MethodError),
    /// The run's models cannot be reached at all.
    #[error("the construction model cannot be asked")]
    Models(#[from] ModelError),
    /// The store failed.
    #[error("the submission could not be read")]
    Store(#[from] StoreError),
}

impl Stop {
    /// The error and what it comes from, in one line.
    pub(super) fn words(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        text
    }

    /// Whether the same again may succeed.
    pub(super) fn passes(&self) -> bool {
        match self {
            Self::Ask(AskError::Unavailable) => true,
            // A late command of an earlier term may have come after this one's.
            Self::Ask(AskError::Refused(refusal)) => {
                matches!(refusal, crate::state::Refusal::StaleTerm { .. })
            }
            Self::Ask(AskError::Over) => false,
            Self::Store(error) => store_passes(error),
            Self::Models(error) => model_passes(error),
            Self::Method(error) => match error {
                MethodError::Store { source, .. } => store_passes(source),
                MethodError::Model { source, .. } => model_passes(source),
                _ => false,
            },
        }
    }

    /// Whether the run's budget is used up.
    pub(super) fn is_budget(&self) -> bool {
        match self {
            Self::Models(error) => matches!(error, ModelError::BudgetExhausted { .. }),
            Self::Method(MethodError::Model { source, .. }) => {
                matches!(**source, ModelError::BudgetExhausted { .. })
            }
            _ => false,
        }
    }
}

fn store_passes(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Unreachable { .. }
            | StoreError::Io { .. }
            | StoreError::Backend { .. }
            | StoreError::DiskFull { .. }
            | StoreError::OutOfMemory { .. }
            // What an attempt before this one had begun is written now, and is read again.
            | StoreError::Conflict { .. }
    )
}

fn model_passes(error: &ModelError) -> bool {
    match error {
        ModelError::Call(failure) => !matches!(
            failure.last.class,
            ErrorClass::Unauthorized
                | ErrorClass::QuotaExhausted
                | ErrorClass::Rejected
                | ErrorClass::ContextOverflow
        ),
        ModelError::LeaseOver { .. } | ModelError::Account { source: AccountError::Failed { .. }, .. } => {
            true
        }
        ModelError::Journal { source, .. } => store_passes(source),
        _ => false,
    }
}
