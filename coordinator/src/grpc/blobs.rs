//! `BlobService`: blobs by digest, in chunks. The store verifies every digest.

use std::pin::Pin;
use std::sync::Arc;

use futures::{Stream, StreamExt as _};
use palaestra_proto::v1::blob_service_server::BlobService;
use palaestra_proto::v1::{BlobChunk, GetBlobRequest, PutBlobReply};
use palaestra_proto::{Problem, Reason, chunks, convert};
use tokio::sync::OwnedSemaphorePermit;
use tonic::{Request, Response, Status, Streaming};

use super::refusals;
use super::services::Services;

/// Chunks on their way to a caller.
pub(super) type Chunks = Pin<Box<dyn Stream<Item = Result<BlobChunk, Status>> + Send>>;

/// The service.
pub(super) struct BlobApi(pub(super) Services);

#[tonic::async_trait]
impl BlobService for BlobApi {
    type GetBlobStream = Chunks;

    async fn put_blob(
        &self,
        request: Request<Streaming<BlobChunk>>,
    ) -> Result<Response<PutBlobReply>, Status> {
        let bytes = self.gather(request.into_inner()).await?;
        let put = self.0.store().blob_put(&bytes.0).await.map_err(|error| refusals::store(&error))?;
        Ok(Response::new(PutBlobReply { digest: put.as_bytes().to_vec() }))
    }

    async fn get_blob(&self, request: Request<GetBlobRequest>) -> Result<Response<Chunks>, Status> {
        let digest = convert::digest("digest", &request.into_inner().digest).map_err(Problem::from)?;
        let bytes = self.0.store().blob_get(digest).await.map_err(|error| refusals::store(&error))?;
        Ok(Response::new(stream(bytes)))
    }
}

impl BlobApi {
    /// All chunks of one blob, and the room that they take until it rests.
    async fn gather(
        &self,
        mut chunks: Streaming<BlobChunk>,
    ) -> Result<(Vec<u8>, Vec<OwnedSemaphorePermit>), Status> {
        let most = self.0.limits.blob_bytes;
        let (mut bytes, mut room) = (Vec::new(), Vec::new());
        while let Some(BlobChunk { data }) = chunks.message().await? {
            if bytes.len().saturating_add(data.len()) > most {
                let message = format!("a blob may have {most} bytes; split it");
                return Err(Problem::new(Reason::TooLarge, message).with("most_bytes", most).into());
            }
            room.push(self.room_for(data.len())?);
            bytes.extend(data);
        }
        Ok((bytes, room))
    }

    /// Memory for what arrives is bounded over all callers; nobody waits while holding some of it.
    fn room_for(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        Arc::clone(&self.0.arriving).try_acquire_many_owned(kib).map_err(|_| {
            Problem::new(Reason::TooMany, "too many blobs arrive at once; put this one again a little later")
        })
    }
}

/// Some bytes as a caller gets them.
pub(super) fn stream(bytes: Vec<u8>) -> Chunks {
    futures::stream::iter(chunks::of(bytes)).map(Ok).boxed()
}
