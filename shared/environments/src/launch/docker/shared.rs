//! One engine for everything in a process, connected to when the first container is needed.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::engine::ContainerEngine;
use super::error::DockerError;

/// An engine that is connected to when it is first needed. Clones share the connection.
#[derive(Clone, Default)]
pub struct SharedEngine(Arc<OnceCell<Arc<ContainerEngine>>>);

impl SharedEngine {
    /// The engine. A connection that failed is tried again by the next call.
    ///
    /// # Errors
    /// As [`ContainerEngine::connect`].
    pub async fn get(&self) -> Result<Arc<ContainerEngine>, DockerError> {
        self.0.get_or_try_init(ContainerEngine::connect).await.cloned()
    }
}

impl From<Arc<ContainerEngine>> for SharedEngine {
    fn from(engine: Arc<ContainerEngine>) -> Self {
        Self(Arc::new(OnceCell::from(engine)))
    }
}
