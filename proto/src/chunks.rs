//! Blobs in chunks.

use crate::MOST_INLINE_BYTES;
use crate::v1::BlobChunk;

/// The chunks of a blob, in order; an empty blob is one empty chunk.
pub fn of(bytes: Vec<u8>) -> impl Iterator<Item = BlobChunk> + Send + 'static {
    let count = bytes.len().div_ceil(MOST_INLINE_BYTES).max(1);
    (0..count).map(move |index| {
        let start = index.saturating_mul(MOST_INLINE_BYTES);
        let end = start.saturating_add(MOST_INLINE_BYTES).min(bytes.len());
        BlobChunk { data: bytes.get(start..end).unwrap_or_default().to_vec() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_put_together_are_the_blob() {
        for length in [0, 1, MOST_INLINE_BYTES, MOST_INLINE_BYTES + 1, 3 * MOST_INLINE_BYTES - 1] {
            let blob: Vec<u8> = (0..=250).cycle().take(length).collect();
            let chunks: Vec<BlobChunk> = of(blob.clone()).collect();
            assert!(!chunks.is_empty() && chunks.iter().all(|chunk| chunk.data.len() <= MOST_INLINE_BYTES));
            assert_eq!(chunks.into_iter().flat_map(|chunk| chunk.data).collect::<Vec<u8>>(), blob);
        }
    }
}
