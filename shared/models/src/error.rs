//! Errors of this crate.

use std::path::PathBuf;

use palaestra_domain::{DomainError, NanoUsd};
use palaestra_runtime::Exit;

use crate::account::AccountError;
use crate::failure::CallFailure;
use crate::request::ModelRef;

/// What can go wrong between a request and its answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings of a model are not usable.
    #[error("cannot use model {model:?}: {message}")]
    Settings {
        /// The model's name in the settings.
        model: String,
        /// What is wrong and what to write instead.
        message: String,
    },
    /// There is no such provider.
    #[error("there is no provider {name:?}; choose one of {known}")]
    UnknownProvider {
        /// The name in the settings.
        name: String,
        /// The names of the catalogue.
        known: String,
    },
    /// A request names a model that this client was not given.
    #[error("model {model} is not among the models of this run; add it to the run's models")]
    UnknownModel {
        /// The model that was asked.
        model: ModelRef,
    },
    /// An API key's environment variable is not set.
    #[error("environment variable {variable} holds no API key; export it, or name a key file")]
    KeyVariable {
        /// The variable's name.
        variable: String,
    },
    /// An API key's file cannot be read.
    #[error("cannot read the API key in {}; check that the file is there and readable", path.display())]
    KeyFile {
        /// The file's path.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// A key that cannot be sent.
    #[error("the API key in {origin} is empty or has blanks or control characters; store the key alone")]
    KeyInvalid {
        /// The variable or file that it came from.
        origin: String,
    },
    /// The HTTP client cannot be built.
    #[error("cannot set up HTTP for {model:?}; check the TLS certificates of this machine")]
    HttpClient {
        /// The model's name in the settings.
        model: String,
        /// The HTTP library's reason.
        source: reqwest::Error,
    },
    /// A call ended without an answer.
    #[error(transparent)]
    Call(Box<CallFailure>),
    /// A call would exceed the run's budget; it was not sent.
    #[error(
        "refused a call to {model} before sending it: it may need {needed}, and {left} of {limit} is left; raise the budget to continue"
    )]
    BudgetExhausted {
        /// Who was to be asked.
        model: String,
        /// The most that the call may need.
        needed: Amount,
        /// What is neither spent nor reserved.
        left: Amount,
        /// The run's limit.
        limit: Amount,
    },
    /// The right to work on behalf of the account has ended.
    #[error("the lease of {what} is over; drop the work, since somebody else may have it")]
    LeaseOver {
        /// What was leased.
        what: String,
    },
    /// Whoever remembers and pays for the call could not do so. Nobody acts on what is not durable.
    #[error("cannot account for call {key}; run the work again, it goes on from what is durable")]
    Account {
        /// The call.
        key: String,
        /// Why.
        source: AccountError,
    },
    /// A budget in dollars cannot hold a model without a price.
    #[error(
        "cannot keep a budget in dollars with {model}: its price is not in the table of {table_date}; give its price in the run file, supply a price table, or set a token budget instead"
    )]
    Unpriced {
        /// The model without a price.
        model: String,
        /// Date of the price table.
        table_date: String,
    },
    /// The price table is not usable.
    #[error("cannot read the price table {origin}: {message}")]
    Prices {
        /// Where the table came from.
        origin: String,
        /// What is wrong.
        message: String,
    },
    /// The journal cannot be read.
    #[error("cannot read the call journal at {key}")]
    Journal {
        /// The call, or the beginning of its scope.
        key: String,
        /// The store's own error.
        source: Box<palaestra_store::Error>,
    },
    /// A journal entry that this program cannot read.
    #[error("cannot read the journal entry {key}: {message}")]
    JournalFormat {
        /// The call.
        key: String,
        /// What is wrong with it.
        message: String,
    },
    /// A prompt template is wrong, or a value for it is missing.
    #[error("cannot render prompt {name:?}")]
    Prompt {
        /// The template's name.
        name: String,
        /// The template engine's own error, with its line.
        source: minijinja::Error,
    },
    /// A schema for structured answers is not usable.
    #[error("cannot use the answer schema {name:?}: {message}")]
    Schema {
        /// The schema's name.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// The file of a scripted provider is not usable.
    #[error("cannot read the canned answers in {}: {message}", path.display())]
    CannedAnswers {
        /// The file's path.
        path: PathBuf,
        /// What is wrong, with the line.
        message: String,
    },
    /// A value refused to be built.
    #[error(transparent)]
    Domain(#[from] DomainError),
}

/// An amount of what a budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Money.
    Usd(NanoUsd),
    /// Tokens, prompt and completion together.
    Tokens(u64),
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usd(money) => write!(f, "{money}"),
            Self::Tokens(tokens) => write!(f, "{tokens} tokens"),
        }
    }
}

impl Error {
    /// The exit code of a process that this error ends.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::BudgetExhausted { .. } => Exit::BudgetExhausted,
            Self::Journal { source, .. } if matches!(**source, palaestra_store::Error::Owned { .. }) => {
                Exit::StoreBusy
            }
            Self::Call(_)
            | Self::LeaseOver { .. }
            | Self::Account { .. }
            | Self::Journal { .. }
            | Self::JournalFormat { .. }
            | Self::Domain(_) => Exit::Failure,
            Self::Settings { .. }
            | Self::UnknownProvider { .. }
            | Self::UnknownModel { .. }
            | Self::KeyVariable { .. }
            | Self::KeyFile { .. }
            | Self::KeyInvalid { .. }
            | Self::HttpClient { .. }
            | Self::Unpriced { .. }
            | Self::Prices { .. }
            | Self::Prompt { .. }
            | Self::Schema { .. }
            | Self::CannedAnswers { .. } => Exit::InvalidInput,
        }
    }
}
