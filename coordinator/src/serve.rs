//! The coordinator's server: all services, on a listener or over a connection within the process.

use std::io;
use std::sync::Arc;

use futures::StreamExt as _;
use hyper_util::rt::TokioIo;
use palaestra_domain::WorkerId;
use palaestra_proto::Problem;
use palaestra_runtime::{CancellationToken, Clock, tasks};
use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint, Server, Uri};
use tonic_health::ServingStatus;
use tower::service_fn;

use crate::books::Books;
use crate::core::Core;
use crate::curation::Curations;
use crate::error::Error;
use crate::grpc::{Services, take_back};
use crate::metrics::{Metrics, keep};
use crate::security::{Gate, Limits, Security, Tokens, incoming};

/// Bytes that may be under way on a connection within the process.
const IN_MEMORY_BYTES: usize = 1 << 20;

/// How many times the largest blob may be on its way in at once, over all callers.
const BLOBS_AT_ONCE: usize = 2;

/// What the server serves.
pub struct ServeParts {
    /// The machine.
    pub core: Core,
    /// For durations.
    pub clock: Arc<dyn Clock>,
    /// What is counted.
    pub metrics: Metrics,
    /// Bounds.
    pub limits: Limits,
}

/// The server. Clones are the same one.
#[derive(Clone)]
pub struct Serve {
    services: Services,
}

impl Serve {
    /// Prepares to serve, and begins to curate and to count. `stop` ends every listener, stream,
    /// connection and curation.
    ///
    /// # Errors
    /// When curation cannot begin.
    pub fn new(parts: ServeParts, stop: CancellationToken) -> Result<Self, Error> {
        let ServeParts { core, clock, metrics, limits } = parts;
        let books = Books::new(core.clone()).counted(&metrics, Arc::clone(&clock));
        let curations = Curations::start(core.clone(), books.clone(), Arc::clone(&clock), stop.clone())?;
        let keeper = keep(metrics.clone(), core.clone(), curations.clone(), clock, stop.clone());
        tasks::spawn("metrics", keeper);
        let kib = limits.blob_bytes.div_ceil(1024).saturating_mul(BLOBS_AT_ONCE).max(1);
        let arriving = Arc::new(Semaphore::new(kib.min(Semaphore::MAX_PERMITS)));
        let sessions = Default::default();
        let services = Services { core, books, curations, metrics, limits, sessions, arriving, stop };
        Ok(Self { services })
    }

    /// Where every run's curation stands.
    #[must_use]
    pub fn curations(&self) -> &Curations {
        &self.services.curations
    }

    /// A worker's process is known to be gone: what it held is handed out again, without waiting until
    /// its leases run out.
    ///
    /// # Errors
    /// When the coordinator leads no more, or its store fails.
    pub async fn take_back(&self, worker: &WorkerId) -> Result<(), Problem> {
        take_back(&self.services, worker).await
    }

    /// The machine.
    pub(crate) fn core(&self) -> &Core {
        &self.services.core
    }

    /// How many workers are connected.
    pub(crate) fn streams(&self) -> usize {
        self.services.sessions.count()
    }

    /// Serves a listener until the server is stopped, and a little longer what is under way then.
    ///
    /// # Errors
    /// [`Error::Insecure`] when it may not be on its address, [`Error::Tls`] when the certificate or
    /// the key is none, [`Error::Serve`] when the listener fails.
    pub async fn listen(&self, listener: TcpListener, security: &Security) -> Result<(), Error> {
        let address = listener.local_addr().map_err(|source| Error::serve("find the address", source))?;
        security.check(address)?;
        let Services { limits, metrics, stop, .. } = &self.services;
        let mut server = Server::builder()
            .max_concurrent_streams(limits.streams_per_connection)
            .http2_max_header_list_size(limits.header_bytes)
            .http2_keepalive_interval(Some(limits.keep_alive))
            .http2_keepalive_timeout(Some(limits.keep_alive));
        if let Some(tls) = &security.tls {
            server =
                server.tls_config(tls.config(limits.handshake)).map_err(|source| Error::Tls { source })?;
        }
        let (routes, health) = self.services.routes().await?;
        let serving = server
            .layer(Gate::new(security.tokens.clone(), metrics.clone()))
            .add_routes(routes)
            .serve_with_incoming_shutdown(incoming(listener, *limits), stop.clone().cancelled_owned());
        let closing = async {
            stop.cancelled().await;
            health.set_service_status("", ServingStatus::NotServing).await;
            tokio::time::sleep(limits.closing).await;
        };
        tokio::select! {
            served = serving => served.map_err(|source| Error::serve("serve", source)),
            () = closing => {
                tracing::warn!("connections were still open when the coordinator stopped");
                Ok(())
            }
        }
    }

    /// A connection to this server within the process, with every right. It connects when it is first
    /// used, and again when it broke.
    ///
    /// # Errors
    /// [`Error::Reflection`], which a build decides.
    pub async fn connect_in_memory(&self) -> Result<Channel, Error> {
        let (clients, connections) = mpsc::channel::<DuplexStream>(1);
        let (routes, _health) = self.services.routes().await?;
        let serving = Server::builder()
            .layer(Gate::new(Tokens::default(), self.services.metrics.clone()))
            .add_routes(routes)
            .serve_with_incoming_shutdown(
                ReceiverStream::new(connections).map(Ok::<_, io::Error>),
                self.services.stop.clone().cancelled_owned(),
            );
        tasks::spawn("server in memory", async move {
            if let Err(error) = serving.await {
                tracing::warn!(%error, "the server within the process failed");
            }
        });
        let connect = move |_: Uri| {
            let clients = clients.clone();
            async move {
                let (near, far) = tokio::io::duplex(IN_MEMORY_BYTES);
                clients.send(far).await.map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused))?;
                Ok::<_, io::Error>(TokioIo::new(near))
            }
        };
        Ok(Endpoint::from_static("http://in-memory").connect_with_connector_lazy(service_fn(connect)))
    }
}
