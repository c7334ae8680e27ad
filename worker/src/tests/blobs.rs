//! Blobs over the wire: verified, carried again, and missing.

use palaestra_domain::Digest;
use palaestra_proto::{MOST_INLINE_BYTES, Reason};
use palaestra_runtime::CancellationToken;
use palaestra_store::{Blobs as _, Error};

use super::fake::{Fake, refusal};
use crate::{Link, RemoteBlobs};

fn blobs() -> (Fake, RemoteBlobs) {
    let (fake, channel, _) = Fake::start();
    (fake, RemoteBlobs::new(Link::in_memory(channel), CancellationToken::new()))
}

#[tokio::test(start_paused = true)]
async fn a_blob_of_many_chunks_comes_back_as_it_went() {
    let (fake, blobs) = blobs();
    let bytes: Vec<u8> = (0..=250).cycle().take(3 * MOST_INLINE_BYTES + 5).collect();
    fake.replies([refusal(Reason::Unavailable)]);
    let digest = blobs.blob_put(&bytes).await.unwrap();
    assert_eq!(fake.blob(digest).as_deref(), Some(bytes.as_slice()));
    fake.replies([refusal(Reason::Unavailable)]);
    assert_eq!(blobs.blob_get(digest).await.unwrap(), bytes);
}

#[tokio::test(start_paused = true)]
async fn other_bytes_and_none_are_told_apart() {
    let (fake, blobs) = blobs();
    let digest = Digest::of(b"what was put");
    assert!(matches!(blobs.blob_get(digest).await, Err(Error::BlobMissing { .. })));
    fake.keep(digest, b"something else");
    assert!(matches!(blobs.blob_get(digest).await, Err(Error::BlobTorn { .. })));
}
