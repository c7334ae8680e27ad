//! Blobs that rest with the coordinator. What comes and what goes is verified; nothing is kept here.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::Digest;
use palaestra_proto::{Reason, chunks, convert, v1};
use palaestra_runtime::CancellationToken;
use palaestra_store::{Blobs, Error};

use crate::link::{CallError, Link, blob_client};

/// How long one attempt to carry a blob may take, large ones over slow lines included.
const PATIENCE: Duration = Duration::from_secs(300);

/// Where the blobs are, in errors.
const LOCATION: &str = "the coordinator's store";

/// The coordinator's blobs. A blob is carried again until it has arrived, through outages of the
/// coordinator.
#[derive(Debug, Clone)]
pub struct RemoteBlobs {
    link: Link,
    over: CancellationToken,
}

impl RemoteBlobs {
    /// The blobs behind a link, for as long as `over` is not cancelled.
    #[must_use]
    pub fn new(link: Link, over: CancellationToken) -> Self {
        Self { link, over }
    }
}

#[async_trait]
impl Blobs for RemoteBlobs {
    async fn blob_put(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let digest = Digest::of(bytes);
        let put = self.link.call(&self.over, PATIENCE, |service| {
            let chunks = futures::stream::iter(chunks::of(bytes.to_vec()));
            async move { blob_client(service).put_blob(chunks).await }
        });
        let reply = put.await.map_err(|error| failed("put a blob", digest, error))?.into_inner();
        match convert::digest("digest", &reply.digest) {
            Ok(kept) if kept == digest => Ok(digest),
            _ => Err(torn(digest, "the coordinator kept something else")),
        }
    }

    async fn blob_get(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let request = v1::GetBlobRequest { digest: digest.as_bytes().to_vec() };
        let get = self.link.call(&self.over, PATIENCE, |service| {
            let request = request.clone();
            async move {
                let mut chunks = blob_client(service).get_blob(request).await?.into_inner();
                let mut bytes = Vec::new();
                while let Some(chunk) = chunks.message().await? {
                    bytes.extend_from_slice(&chunk.data);
                }
                Ok(bytes)
            }
        });
        let bytes = get.await.map_err(|error| failed("read a blob", digest, error))?;
        if Digest::of(&bytes) == digest { Ok(bytes) } else { Err(torn(digest, "other bytes arrived")) }
    }
}

fn torn(digest: Digest, detail: &str) -> Error {
    Error::BlobTorn { digest, location: LOCATION.to_owned(), detail: detail.to_owned() }
}

fn failed(doing: &'static str, digest: Digest, error: CallError) -> Error {
    let location = LOCATION.to_owned();
    match error {
        CallError::Refused(problem) if problem.reason == Reason::NotFound => {
            Error::BlobMissing { digest, location }
        }
        error => Error::Backend { location, doing, source: Arc::new(error) },
    }
}
