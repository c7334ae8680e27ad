//! Lines of bounded length from a byte stream. Knows nothing of JSON.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// What came from the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// The stream has ended; what stood after the last line's end is lost.
    End,
    /// A line longer than the limit; the rest of it was not read.
    TooLong,
}

/// Reads one line of at most `limit` bytes.
///
/// Not cancellation safe: a caller that stops waiting must give up the stream.
pub(super) async fn next<R: AsyncBufRead + Unpin>(reader: &mut R, limit: usize) -> io::Result<Line> {
    let mut line = Vec::new();
    loop {
        let chunk = reader.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(Line::End);
        }
        let end = memchr::memchr(b'\n', chunk);
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        if line.len() + part.len() > limit {
            return Ok(Line::TooLong);
        }
        line.extend_from_slice(part);
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Line::Whole(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    #[tokio::test]
    async fn lines_are_whole_bounded_and_end() {
        // A tiny buffer, so that lines come in pieces.
        let mut reader = BufReader::with_capacity(3, &b"abcdef\n\n12345678\n123456789\n"[..]);
        assert_eq!(next(&mut reader, 8).await.unwrap(), Line::Whole(b"abcdef".to_vec()));
        assert_eq!(next(&mut reader, 8).await.unwrap(), Line::Whole(Vec::new()));
        assert_eq!(next(&mut reader, 8).await.unwrap(), Line::Whole(b"12345678".to_vec()));
        assert_eq!(next(&mut reader, 8).await.unwrap(), Line::TooLong);
        let mut reader = BufReader::new(&b"half"[..]);
        assert_eq!(next(&mut reader, 8).await.unwrap(), Line::End);
    }
}
