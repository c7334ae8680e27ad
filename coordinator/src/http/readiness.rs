//! Whether this coordinator can serve now.

use std::time::Duration;

use palaestra_store::StreamName;
use tokio::sync::watch;

use crate::serve::Serve;

/// How long the store may take to answer a probe.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where this coordinator is in its life. Clones are the same one.
#[derive(Clone)]
pub struct Readiness(watch::Sender<Phase>);

#[derive(Clone)]
enum Phase {
    Starting,
    StandingBy,
    Leading(Box<Serve>),
    Stopping,
}

impl Default for Readiness {
    /// It starts.
    fn default() -> Self {
        Self(watch::Sender::new(Phase::Starting))
    }
}

impl Readiness {
    /// Another coordinator leads, and this one waits.
    pub fn stands_by(&self) {
        self.0.send_replace(Phase::StandingBy);
    }

    /// This coordinator leads and serves.
    pub fn leads(&self, serve: &Serve) {
        self.0.send_replace(Phase::Leading(Box::new(serve.clone())));
    }

    /// It stops.
    pub fn stops(&self) {
        self.0.send_replace(Phase::Stopping);
    }

    /// What serves, while this coordinator leads.
    pub(super) fn serving(&self) -> Option<Serve> {
        match &*self.0.borrow() {
            Phase::Leading(serve) => Some(serve.as_ref().clone()),
            Phase::Starting | Phase::StandingBy | Phase::Stopping => None,
        }
    }

    /// Whether it can serve now; otherwise what it waits for, in one word.
    pub(super) async fn probe(&self) -> Result<(), &'static str> {
        let phase = self.0.borrow().clone();
        let serve = match phase {
            Phase::Starting => return Err("starting"),
            Phase::StandingBy => return Err("standby"),
            Phase::Stopping => return Err("stopping"),
            Phase::Leading(serve) => serve,
        };
        match tokio::time::timeout(PATIENCE, answers(&serve)).await {
            Ok(result) => result,
            Err(_) => Err("store"),
        }
    }
}

/// Whether the loop and the store answer.
async fn answers(serve: &Serve) -> Result<(), &'static str> {
    serve.core().view(|_| ()).await.map_err(|_| "stopping")?;
    let nothing = StreamName::new("readiness").map_err(|_| "store")?;
    serve.core().store().read(&nothing, 0).await.map_err(|_| "store")?;
    Ok(())
}
