//! Blobs over the wire.

use palaestra_coordinator::Limits;
use palaestra_domain::Digest;
use palaestra_proto::v1::{BlobChunk, GetBlobRequest};
use palaestra_proto::{MOST_INLINE_BYTES, Problem, Reason, chunks};

use crate::house::House;

#[tokio::test]
async fn a_blob_comes_back_as_it_was_put_under_its_digest() {
    let house = House::new().await;
    let blob: Vec<u8> = (0..=250).cycle().take(3 * MOST_INLINE_BYTES + 1).collect();
    for _again in 0..2 {
        let sent = tokio_stream::iter(chunks::of(blob.clone()));
        let put = house.blobs().put_blob(sent).await.unwrap().into_inner();
        assert_eq!(put.digest, Digest::of(&blob).as_bytes());
    }
    let digest = Digest::of(&blob).as_bytes().to_vec();
    let mut parts = house.blobs().get_blob(GetBlobRequest { digest }).await.unwrap().into_inner();
    let mut read = Vec::new();
    while let Some(BlobChunk { data }) = parts.message().await.unwrap() {
        assert!(data.len() <= MOST_INLINE_BYTES);
        read.extend(data);
    }
    assert!(read == blob);
}

#[tokio::test]
async fn what_is_not_there_or_too_large_is_named() {
    let house = House::with(Limits { blob_bytes: 1_000, ..Limits::default() }).await;
    let digest = Digest::of(b"nowhere").as_bytes().to_vec();
    let missing = house.blobs().get_blob(GetBlobRequest { digest }).await.unwrap_err();
    assert_eq!(Problem::from(&missing).reason, Reason::NotFound);
    let short = house.blobs().get_blob(GetBlobRequest { digest: vec![1] }).await.unwrap_err();
    assert_eq!(Problem::from(&short).reason, Reason::Malformed);
    let large = house.blobs().put_blob(tokio_stream::iter(chunks::of(vec![0; 1_001]))).await.unwrap_err();
    let problem = Problem::from(&large);
    assert_eq!((problem.reason, problem.details["most_bytes"].as_str()), (Reason::TooLarge, "1000"));
}
