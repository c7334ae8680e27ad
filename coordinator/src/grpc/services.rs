//! What all services share, and the routes to them.

use std::sync::Arc;

use palaestra_domain::Digest;
use palaestra_proto::v1::Payload;
use palaestra_proto::v1::blob_service_server::BlobServiceServer;
use palaestra_proto::v1::payload::At;
use palaestra_proto::v1::run_service_server::RunServiceServer;
use palaestra_proto::v1::worker_service_server::WorkerServiceServer;
use palaestra_proto::{DESCRIPTORS, MOST_INLINE_BYTES, MOST_MESSAGE_BYTES, Problem, Reason, convert};
use palaestra_runtime::CancellationToken;
use palaestra_store::Store;
use tokio::sync::Semaphore;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

use super::blobs::BlobApi;
use super::refusals;
use super::runs::RunApi;
use super::sessions::Sessions;
use super::worker::WorkerApi;
use crate::books::Books;
use crate::core::Core;
use crate::curation::Curations;
use crate::error::Error;
use crate::metrics::Metrics;
use crate::security::Limits;

/// What all services share. Clones share it too.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) core: Core,
    pub(crate) books: Books,
    pub(crate) curations: Curations,
    pub(crate) metrics: Metrics,
    pub(crate) limits: Limits,
    pub(crate) sessions: Sessions,
    /// Room for blobs that are on their way in, in KiB.
    pub(crate) arriving: Arc<Semaphore>,
    /// Ends every stream.
    pub(crate) stop: CancellationToken,
}

impl Services {
    /// The durable state.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        self.core.store()
    }

    /// Routes to all services, to health and to reflection.
    ///
    /// # Errors
    /// [`Error::Reflection`] when the descriptors cannot be read, which a build decides.
    pub(crate) async fn routes(&self) -> Result<(Routes, HealthReporter), Error> {
        let health = HealthReporter::new();
        for name in [
            <WorkerServiceServer<WorkerApi> as tonic::server::NamedService>::NAME,
            <BlobServiceServer<BlobApi> as tonic::server::NamedService>::NAME,
            <RunServiceServer<RunApi> as tonic::server::NamedService>::NAME,
        ] {
            health.set_service_status(name, ServingStatus::Serving).await;
        }
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()
            .map_err(|source| Error::Reflection { source: source.into() })?;
        let worker = WorkerServiceServer::new(WorkerApi(self.clone()))
            .max_decoding_message_size(MOST_MESSAGE_BYTES)
            .max_encoding_message_size(MOST_MESSAGE_BYTES);
        let blobs = BlobServiceServer::new(BlobApi(self.clone()))
            .max_decoding_message_size(MOST_MESSAGE_BYTES)
            .max_encoding_message_size(MOST_MESSAGE_BYTES);
        let runs = RunServiceServer::new(RunApi(self.clone()))
            .max_decoding_message_size(MOST_MESSAGE_BYTES)
            .max_encoding_message_size(MOST_MESSAGE_BYTES);
        let routes = Routes::new(worker)
            .add_service(blobs)
            .add_service(runs)
            .add_service(HealthServer::new(HealthService::from_health_reporter(health.clone())))
            .add_service(reflection);
        Ok((routes, health))
    }

    /// Where a payload rests: what came with the message is put there first.
    pub(super) async fn rest(
        &self,
        field: &'static str,
        payload: Option<Payload>,
    ) -> Result<Digest, Problem> {
        match at(field, payload)? {
            At::Inline(bytes) => {
                within(field, bytes.len())?;
                self.store().blob_put(&bytes).await.map_err(|error| refusals::store(&error))
            }
            At::Digest(digest) => {
                let digest = convert::digest(field, &digest)?;
                self.store().blob_get(digest).await.map_err(|error| refusals::store(&error))?;
                Ok(digest)
            }
        }
    }

    /// A payload's bytes, wherever they are.
    pub(super) async fn bytes(
        &self,
        field: &'static str,
        payload: Option<Payload>,
    ) -> Result<Vec<u8>, Problem> {
        match at(field, payload)? {
            At::Inline(bytes) => within(field, bytes.len()).map(|()| bytes),
            At::Digest(digest) => {
                let digest = convert::digest(field, &digest)?;
                self.store().blob_get(digest).await.map_err(|error| refusals::store(&error))
            }
        }
    }

    /// A payload of some bytes: in the message while they are few, at an address otherwise.
    pub(super) async fn payload(&self, bytes: Vec<u8>) -> Result<Payload, Problem> {
        let at = if bytes.len() <= MOST_INLINE_BYTES {
            At::Inline(bytes)
        } else {
            let put = self.store().blob_put(&bytes).await.map_err(|error| refusals::store(&error))?;
            At::Digest(put.as_bytes().to_vec())
        };
        Ok(Payload { at: Some(at) })
    }
}

fn at(field: &'static str, payload: Option<Payload>) -> Result<At, Problem> {
    Ok(convert::required(field, payload.and_then(|payload| payload.at))?)
}

fn within(field: &'static str, bytes: usize) -> Result<(), Problem> {
    if bytes <= MOST_INLINE_BYTES {
        return Ok(());
    }
    let message =
        format!("{field} has {bytes} bytes, and {MOST_INLINE_BYTES} may travel in a message; put a blob");
    Err(Problem::new(Reason::TooLarge, message).with("most_bytes", MOST_INLINE_BYTES))
}
