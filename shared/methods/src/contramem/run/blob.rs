//! What one stage leaves for another: canonical JSON with a format version, as a blob.

use palaestra_domain::{Digest, canonical};
use palaestra_store::Blobs;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::error::Error;

/// The one field that every version has.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

/// A value's bytes; equal values have equal bytes.
pub(crate) fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<Vec<u8>, Error> {
    Ok(canonical::to_json(what, value)?.into_bytes())
}

/// The value behind some bytes, in the format `known` and no other.
pub(crate) fn decode<T: DeserializeOwned>(what: &'static str, known: u32, bytes: &[u8]) -> Result<T, Error> {
    let unreadable = |message: String| Error::Unreadable { what, message };
    // The version comes first: another program's value may have another shape.
    let head: Head = serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))?;
    if head.format != known {
        let age = if head.format > known { "a newer" } else { "an older" };
        return Err(unreadable(format!(
            "it was written by {age} palaestra; format {}, this program knows {known}: use the same program everywhere",
            head.format
        )));
    }
    serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))
}

/// Keeps some bytes; `action` and `of` say in an error what they were.
pub(crate) async fn put(
    blobs: &dyn Blobs,
    action: &'static str,
    of: &str,
    bytes: &[u8],
) -> Result<Digest, Error> {
    let failed = |source| Error::Store { action, stream: of.to_owned(), source };
    blobs.blob_put(bytes).await.map_err(failed)
}

/// The bytes at an address.
pub(crate) async fn get(blobs: &dyn Blobs, action: &'static str, digest: &Digest) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Store { action, stream: digest.to_string(), source };
    blobs.blob_get(*digest).await.map_err(failed)
}
