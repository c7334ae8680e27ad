//! The service on a socket.

use std::net::SocketAddr;
use std::sync::Arc;

use palaestra_runtime::{CancellationToken, tasks};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::book::Stats;
use crate::error::Error;
use crate::options::Options;
use crate::service::{self, Service};

/// A running service. It stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    service: Arc<Service>,
    stop: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Starts the service on the present runtime; port 0 takes a free one.
    ///
    /// # Errors
    /// [`Error::Listen`], [`Error::Workshop`], [`Error::Tau2Data`] and [`Error::Tau2Form`].
    pub async fn start(options: Options, listen: SocketAddr) -> Result<Self, Error> {
        let failed = |source| Error::Listen { address: listen, source };
        let service = Arc::new(Service::new(options)?);
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let stop = CancellationToken::new();
        let serving = axum::serve(listener, service::router(Arc::clone(&service)))
            .with_graceful_shutdown(stop.clone().cancelled_owned());
        let task = tasks::spawn("model-server", async move { serving.await });
        Ok(Self { address, service, stop, task })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base address for a client's settings.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What was asked and sold since it was last taken, as `/stats` tells it.
    #[must_use]
    pub fn take_stats(&self) -> Stats {
        self.service.book.take()
    }

    /// Takes no new connection, answers what is in flight, and stops.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if let Err(error) = (&mut self.task).await {
            tracing::warn!(%error, "the service did not stop as it should");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
