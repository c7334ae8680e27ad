//! How a blob rests: zstd, named by the BLAKE3 of its uncompressed bytes. Shared by all backends.

use std::sync::Arc;

use palaestra_domain::Digest;

use crate::error::Error;

/// Level 3 is zstd's own default: trajectories shrink about tenfold at hundreds of MB per second.
const LEVEL: i32 = 3;

/// A blob's address and its bytes at rest.
///
/// # Errors
/// [`Error::Io`] when the compressor fails.
pub(crate) fn seal(location: &str, bytes: &[u8]) -> Result<(Digest, Vec<u8>), Error> {
    let body = zstd::bulk::compress(bytes, LEVEL).map_err(|error| Error::Io {
        location: location.to_owned(),
        doing: "compress a blob",
        source: Arc::new(error),
    })?;
    Ok((Digest::of(bytes), body))
}

/// The blob's bytes, once they are proven to be those that the address names.
///
/// # Errors
/// [`Error::BlobTorn`] when they are not.
pub(crate) fn unseal(location: &str, digest: Digest, body: &[u8]) -> Result<Vec<u8>, Error> {
    let torn = |detail: String| Error::BlobTorn { digest, location: location.to_owned(), detail };
    let bytes = zstd::decode_all(body).map_err(|error| torn(format!("it does not decompress ({error})")))?;
    let actual = Digest::of(&bytes);
    if actual == digest { Ok(bytes) } else { Err(torn(format!("its bytes hash to {actual}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_smaller_at_rest_and_every_tear_is_noticed() {
        let bytes = b"a line of a trajectory\n".repeat(1000);
        let (digest, body) = seal("test", &bytes).unwrap();
        assert!(body.len() * 10 < bytes.len());
        assert_eq!(unseal("test", digest, &body).unwrap(), bytes);
        for cut in [0, 1, body.len() / 2, body.len() - 1] {
            assert!(
                matches!(unseal("test", digest, &body[..cut]), Err(Error::BlobTorn { .. })),
                "cut at {cut}"
            );
        }
        let (_, other) = seal("test", b"other bytes").unwrap();
        assert!(matches!(unseal("test", digest, &other), Err(Error::BlobTorn { .. })));
    }
}
