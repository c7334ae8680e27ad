//! A scope: one piece of work whose calls are numbered in the order in which it makes them, so that
//! a second execution of the work finds its answers.

use palaestra_store::CallKey;

use crate::client::ModelClient;
use crate::error::Error;
use crate::request::ModelRequest;
use crate::response::ModelResponse;

/// On whose behalf a call is made, for the ledger. Each method names its own roles as constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Role(&'static str);

impl Role {
    /// A role by its name in snake case, for example `reflector`.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The role's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// The calls of one piece of work. It takes `&mut self` to ask, since the order is the identity.
#[derive(Debug)]
pub struct CallScope {
    client: ModelClient,
    scope: String,
    next: u32,
}

impl CallScope {
    pub(crate) fn new(client: ModelClient, scope: String) -> Self {
        Self { client, scope, next: 0 }
    }

    /// Asks, through all layers; from the journal when this very call was answered before.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`] before anything is sent; [`Error::Call`] after the last attempt;
    /// [`Error::LeaseOver`] or [`Error::Account`] when the call or its answer could not be made
    /// durable; [`Error::JournalFormat`] when a newer program answered it.
    pub async fn ask(&mut self, role: Role, request: &ModelRequest) -> Result<ModelResponse, Error> {
        let key = CallKey { scope: self.scope.clone(), ordinal: self.next };
        self.next = self.next.saturating_add(1);
        self.client.call(&key, role, request).await
    }
}
