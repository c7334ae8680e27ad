//! From an error to what people read on standard error and scripts read as an exit code.

use palaestra_domain::run_file::Mistakes;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_models::Error as ModelError;
use palaestra_runtime::Exit;
use palaestra_store::Error as StoreError;

/// The user asked to stop.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; what was done is kept, and the same command continues")]
pub struct Interrupted;

/// The user stopped watching.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; the coordinator goes on with what it has, see `palaestra ls`")]
pub struct Left;

/// The run's budget does not allow its next call.
#[derive(Debug, thiserror::Error)]
#[error(
    "the next call could exceed the run's budget, so it was not sent; raise `budget` in the run file and run it again: nothing is bought twice"
)]
pub struct BudgetExhausted;

/// Something that the command line or a file names and that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidInput(pub String);

/// Prints an error with its causes and answers the exit code.
#[expect(clippy::print_stderr, reason = "the one place where errors meet the terminal")]
pub fn report(error: &anyhow::Error) -> Exit {
    let mut line = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        // A transparent wrapper repeats its cause word for word.
        if !line.ends_with(&text) {
            if !line.is_empty() {
                line.push_str(": ");
            }
            line.push_str(&text);
        }
    }
    eprintln!("error: {line}");
    code(error)
}

fn code(error: &anyhow::Error) -> Exit {
    for cause in error.chain() {
        if cause.is::<Mistakes>() || cause.is::<InvalidInput>() {
            return Exit::InvalidInput;
        }
        if cause.is::<BudgetExhausted>() {
            return Exit::BudgetExhausted;
        }
        if cause.is::<Interrupted>() || cause.is::<Left>() {
            return Exit::Interrupted;
        }
        if let Some(store) = cause.downcast_ref::<StoreError>() {
            // A fenced writer has lost the store to another process, which is as good as finding it held.
            return match store {
                StoreError::Owned { .. } | StoreError::Fenced { .. } => Exit::StoreBusy,
                StoreError::Missing { .. } => Exit::InvalidInput,
                _ => Exit::Failure,
            };
        }
        if let Some(ModelError::BudgetExhausted { .. }) = cause.downcast_ref::<ModelError>() {
            return Exit::BudgetExhausted;
        }
        // Boxed sources are seen through their box.
        if let Some(boxed) = cause.downcast_ref::<Box<ModelError>>()
            && matches!(**boxed, ModelError::BudgetExhausted { .. })
        {
            return Exit::BudgetExhausted;
        }
        if cause.downcast_ref::<MethodError>().is_some_and(is_input) {
            return Exit::InvalidInput;
        }
    }
    Exit::Failure
}

/// Whether what is wrong is what the user named, not what happened.
fn is_input(error: &MethodError) -> bool {
    matches!(
        error,
        MethodError::OtherIdentity { .. }
            | MethodError::UnknownSource { .. }
            | MethodError::NoAttempts { .. }
            | MethodError::TooManyAttempts { .. }
            | MethodError::SourceFormat { .. }
            | MethodError::RepeatedAttempt { .. }
            | MethodError::BankRefused { .. }
            | MethodError::NoSuchRun { .. }
            | MethodError::NoSuchTask { .. }
            | MethodError::Environment { .. }
    )
}
