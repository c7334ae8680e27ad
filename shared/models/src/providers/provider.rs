//! What a provider does.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::failure::AttemptFailure;
use crate::request::ModelRequest;
use crate::response::ModelResponse;

/// One way to get an answer from one model.
#[async_trait]
pub trait Provider: Send + Sync + Debug {
    /// One attempt.
    ///
    /// # Errors
    /// [`AttemptFailure`] with the class that decides about a retry.
    async fn attempt(&self, request: &ModelRequest) -> Result<ModelResponse, AttemptFailure>;

    /// Whether an answer costs money. A provider that says no needs no price.
    fn bills(&self) -> bool {
        true
    }
}
