//! A tokenizer that finds where JSON values begin and end, without looking into them.
//!
//! It lets a file of any size be cut into records that are then parsed strictly, one by one; it
//! never judges whether a value is valid JSON itself.

use memchr::memchr2;

/// The outermost pieces of JSON text, with their byte positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// `{` or `[`.
    Open(u8),
    /// `}` or `]`.
    Close(u8),
    /// A string, from its opening quote to just behind its closing one.
    Text,
    /// A number, a word or anything else that is no punctuation.
    Scalar,
    /// `:`.
    Colon,
    /// `,`.
    Comma,
}

/// A token with where it starts and where the next one may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// What it is.
    pub token: Token,
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// The next token at or behind `from`; `None` when the buffer ends before the token does.
/// `complete` says that nothing follows the buffer, so that a number may end with it.
pub(super) fn next(buffer: &[u8], from: usize, complete: bool) -> Option<Found> {
    let mut start = from;
    while matches!(buffer.get(start)?, b' ' | b'\n' | b'\r' | b'\t') {
        start += 1;
    }
    let (token, end) = match *buffer.get(start)? {
        byte @ (b'{' | b'[') => (Token::Open(byte), start + 1),
        byte @ (b'}' | b']') => (Token::Close(byte), start + 1),
        b':' => (Token::Colon, start + 1),
        b',' => (Token::Comma, start + 1),
        b'"' => (Token::Text, text_end(buffer, start)?),
        _ => {
            let rest = buffer.get(start..)?;
            let length = rest.iter().position(|byte| b" \n\r\t{}[]:,\"".contains(byte));
            if length.is_none() && !complete {
                return None;
            }
            (Token::Scalar, start + length.unwrap_or(rest.len()))
        }
    };
    Some(Found { token, start, end })
}

/// Goes on from `at` to the bracket that closes the `depth` ones that are open, and says whether it
/// found it; otherwise `at` and `depth` are where to go on once there is more.
pub(super) fn close(buffer: &[u8], at: &mut usize, depth: &mut usize) -> bool {
    while let Some(byte) = buffer.get(*at) {
        match byte {
            b'"' => {
                let Some(end) = text_end(buffer, *at) else { return false };
                *at = end;
                continue;
            }
            b'{' | b'[' => *depth += 1,
            b'}' | b']' => *depth -= 1,
            _ => {}
        }
        *at += 1;
        if *depth == 0 {
            return true;
        }
    }
    false
}

/// The byte behind the closing quote of the string that opens at `open`.
fn text_end(buffer: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        let rest = buffer.get(at..)?;
        let hit = memchr2(b'"', b'\\', rest)?;
        if rest.get(hit) == Some(&b'"') {
            return Some(at + hit + 1);
        }
        at += hit + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_their_own_quote() {
        let text = br#"{"a\\\"{":[-1.5e3,true]}"#;
        let mut at = 0;
        let mut seen = Vec::new();
        while let Some(found) = next(text, at, true) {
            seen.push(String::from_utf8_lossy(&text[found.start..found.end]).into_owned());
            at = found.end;
        }
        assert_eq!(seen, ["{", r#""a\\\"{""#, ":", "[", "-1.5e3", ",", "true", "]", "}"]);
    }

    #[test]
    fn an_unfinished_token_asks_for_more() {
        assert_eq!(next(br#""abc\"#, 0, true), None);
        assert_eq!(next(b"12", 0, false), None);
        assert_eq!(next(b"12", 0, true).map(|found| found.end), Some(2));
        assert_eq!(next(b"  ", 0, true), None);
    }
}
