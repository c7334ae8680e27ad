//! One way to reach a model: journal, budget, limit, retry, price.
//!
//! [`ModelClientBuilder`] takes the run's models and its budget, [`ModelClient`] hands out
//! [`CallScope`]s, and a scope asks. Every call passes the same layers: the journal answers what was
//! bought before; the budget refuses before spending; the limiter and the retry policy pace; a
//! provider speaks the protocol. Only this crate opens a connection to a model. It knows nothing of
//! either paper.

mod client;
mod error;
mod failure;
mod http;
mod layers;
mod ledger;
pub mod prices;
mod prompt;
pub mod providers;
mod record;
mod request;
mod response;
mod scope;
pub mod secrets;
pub mod settings;
mod structured;
pub mod tokens;

pub use client::{ModelClient, ModelClientBuilder};
pub use error::{Amount, Error};
pub use failure::{AttemptFailure, CallFailure};
pub use layers::{BudgetLimits, Spend};
pub use ledger::{Ledger, LedgerLine, Replays};
pub use prices::{Price, PriceTable};
pub use prompt::Prompts;
pub use providers::Provider;
pub use providers::scripted::ScriptedProvider;
pub use request::{Message, ModelRef, ModelRequest, Output};
pub use response::{Arguments, Finish, ModelResponse, ToolCall};
pub use scope::{CallScope, Role};
pub use settings::ModelSettings;
pub use structured::{OutputSchema, Structured, StructuredRejection};
