//! One way to reach a model: journal, budget, limit, retry, price.
//!
//! [`ModelsBuilder`] takes the run's models, [`Models`] a piece of work's [`Account`], and the
//! [`ModelClient`] between them hands out [`CallScope`]s, which ask. Every call passes the same layers:
//! the journal answers what was bought before; the budget refuses before spending; the limiter and
//! the retry policy pace; a provider speaks the protocol. Journal, budget and the shares of rate
//! limits are kept elsewhere, behind [`Account`] and [`ShareDealer`]. Only this crate opens a
//! connection to a model. It knows nothing of either paper.

mod account;
mod client;
mod error;
mod facts;
mod failure;
mod http;
mod layers;
mod ledger;
mod limiter;
mod models;
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
#[cfg(feature = "testing")]
pub mod testing;
pub mod tokens;

pub use account::{Account, AccountError, Hold};
pub use client::ModelClient;
pub use error::{Amount, Error};
pub use facts::CallFacts;
pub use failure::{AttemptFailure, CallFailure};
pub use ledger::{Ledger, LedgerLine, Replays};
pub use limiter::{Dealt, Limiter, ShareDealer, Unshared};
pub use models::{Models, ModelsBuilder};
pub use prices::{Price, PriceTable};
pub use prompt::Prompts;
pub use providers::Provider;
pub use providers::scripted::ScriptedProvider;
pub use request::{Message, ModelRef, ModelRequest, Output};
pub use response::{Arguments, Finish, ModelResponse, ToolCall};
pub use scope::{CallScope, Role};
pub use settings::ModelSettings;
pub use structured::{OutputSchema, Structured, StructuredRejection};
