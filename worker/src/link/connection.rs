//! The connections to all coordinators, of which one leads.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use palaestra_proto::MOST_MESSAGE_BYTES;
use palaestra_proto::v1::blob_service_client::BlobServiceClient;
use palaestra_proto::v1::worker_service_client::WorkerServiceClient;
use palaestra_runtime::RetryPolicy;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Status};

use super::settings::LinkSettings;
use crate::error::Error;

/// The delays between attempts: short at first, since most outages are a restart.
const DELAYS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// A connection that carries the token.
pub type Service = InterceptedService<Channel, Bearer>;

/// The way to the coordinator that leads. It opens connections when they are needed, again and again,
/// and goes on to the next address when one does not answer or stands by. Clones share it.
#[derive(Debug, Clone)]
pub struct Link {
    first: Channel,
    standbys: Arc<[Channel]>,
    bearer: Bearer,
    /// Which of the peers is asked; counted on without end.
    current: Arc<AtomicUsize>,
}

impl Link {
    /// A link to the coordinators of the settings. Nothing is opened yet, but it must be made inside an
    /// async runtime.
    ///
    /// # Errors
    /// When an address, a certificate or the token cannot be used.
    pub fn new(settings: &LinkSettings) -> Result<Self, Error> {
        let bearer = Bearer(settings.bearer()?);
        let mut channels = settings.channels()?.into_iter();
        let first = channels.next().ok_or(Error::NoAddress)?;
        Ok(Self { first, standbys: channels.collect(), bearer, current: Arc::default() })
    }

    /// A link to a coordinator in the same process.
    #[must_use]
    pub fn in_memory(channel: Channel) -> Self {
        Self { first: channel, standbys: Arc::new([]), bearer: Bearer(None), current: Arc::default() }
    }

    /// A link to several coordinators over connections that exist.
    #[cfg(test)]
    pub(crate) fn among(first: Channel, standbys: impl IntoIterator<Item = Channel>) -> Self {
        Self { standbys: standbys.into_iter().collect(), ..Self::in_memory(first) }
    }

    /// The connection that is asked now, for clients of any service.
    #[must_use]
    pub fn service(&self) -> Service {
        self.peer().1
    }

    /// The peer that is asked now, and which it is.
    pub(crate) fn peer(&self) -> (usize, Service) {
        let current = self.current.load(Ordering::Relaxed);
        let at = current % self.peers();
        let standby = at.checked_sub(1).and_then(|at| self.standbys.get(at));
        let channel = standby.unwrap_or(&self.first).clone();
        (current, InterceptedService::new(channel, self.bearer.clone()))
    }

    /// How many coordinators there are, at least one.
    pub(crate) fn peers(&self) -> usize {
        self.standbys.len().saturating_add(1)
    }

    /// Goes on to the next peer, unless another call has done so since `from` was asked.
    pub(crate) fn leave(&self, from: usize) {
        let next = from.wrapping_add(1);
        // Losing the race means that the peer was left already.
        let _ = self.current.compare_exchange(from, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// How attempts at one thing are spaced.
    pub(crate) fn policy() -> RetryPolicy {
        RetryPolicy::patient(DELAYS.0, DELAYS.1)
    }
}

/// The client of the worker's service on a connection.
pub(crate) fn worker_client(service: Service) -> WorkerServiceClient<Service> {
    WorkerServiceClient::new(service)
        .max_decoding_message_size(MOST_MESSAGE_BYTES)
        .max_encoding_message_size(MOST_MESSAGE_BYTES)
}

/// The client of the blob service on a connection.
pub(crate) fn blob_client(service: Service) -> BlobServiceClient<Service> {
    BlobServiceClient::new(service)
        .max_decoding_message_size(MOST_MESSAGE_BYTES)
        .max_encoding_message_size(MOST_MESSAGE_BYTES)
}

/// Puts the token into every request.
#[derive(Clone)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Bearer(…)" } else { "Bearer(none)" })
    }
}
