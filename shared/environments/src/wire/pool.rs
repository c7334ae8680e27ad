//! Environments that are up and wait for an attempt. Starting one costs more than most attempts, so
//! a process that has answered all its requests serves the next attempt too: `reset` starts anew.

use std::sync::{Arc, Mutex, PoisonError};

use super::connection::Connection;
use super::settings::WireSettings;
use crate::error::Error;
use crate::launch::Launch;

/// Starts environments of one kind and keeps those that are idle. When it goes, they go.
pub struct Pool {
    name: &'static str,
    launch: Box<dyn Launch>,
    settings: WireSettings,
    most_idle: usize,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    /// A pool without any process yet, which keeps at most `most_idle` idle ones. The name is the
    /// one that the environment's hello has to give.
    #[must_use]
    pub fn new(
        name: &'static str,
        launch: Box<dyn Launch>,
        settings: WireSettings,
        most_idle: usize,
    ) -> Arc<Self> {
        Arc::new(Self { name, launch, settings, most_idle, idle: Mutex::default() })
    }

    /// The environment's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// An idle environment, or a new one.
    pub(super) async fn take(&self) -> Result<Connection, Error> {
        while let Some(mut connection) = self.pop() {
            if connection.is_usable() {
                return Ok(connection);
            }
        }
        Connection::open(self.name, self.launch.as_ref(), self.settings).await
    }

    /// Takes a connection back. One that is of no more use is dropped, which kills its environment.
    pub(super) fn give_back(&self, mut connection: Connection) {
        if connection.is_usable() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < self.most_idle {
                idle.push(connection);
            }
        }
    }

    fn pop(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}
