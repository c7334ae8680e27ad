//! Cuts a file of any size into its records, a batch at a time.
//!
//! Memory holds one batch, or one record where a record is larger. Nothing is parsed here.

use std::io::Read;

use super::scan::{self, Found, Token};

/// How much is read at a time, in bytes.
const CHUNK: usize = 512 * 1024;

/// The largest record that is read, in bytes: a bound on what a damaged file can make us hold.
const LARGEST: usize = 512 * 1024 * 1024;

/// Where the records of a file stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// One per line.
    Lines,
    /// The whole document (or several, one after another).
    Whole,
    /// The elements of the outermost array.
    Elements,
    /// The elements of the array under this key of the outermost object.
    Member(&'static str),
    /// The value of this key of the outermost object.
    Key(&'static str),
    /// The values of objects nested this deep: 1 is the outermost object's own values.
    Nested(usize),
}

/// Where in the buffer a record lies, and how it is called.
#[derive(Debug)]
pub(super) struct Span {
    /// The line of a [`Layout::Lines`] record, otherwise a running number; from 1.
    pub number: usize,
    /// The keys that lead to a [`Layout::Nested`] record, joined by `/`.
    pub key: String,
    start: usize,
    end: usize,
}

/// A file's records.
pub(super) struct Records<R> {
    input: R,
    layout: Layout,
    buffer: Vec<u8>,
    /// How far the buffer has been cut.
    at: usize,
    ended: bool,
    fault: Option<String>,
    number: usize,
    place: Place,
}

/// Where the cutter stands in a JSON document.
#[derive(Default)]
struct Place {
    open: Vec<u8>,
    /// The key under which the value at each depth stands.
    keys: Vec<String>,
    key_next: bool,
    /// Where the current record starts and how many brackets are open in it.
    record: Option<(usize, usize)>,
}

impl<R: Read> Records<R> {
    /// The records of `input`, of which `head` has been read already.
    pub(super) fn new(head: Vec<u8>, input: R, layout: Layout) -> Self {
        let (buffer, place) = (head, Place::default());
        Self { input, layout, buffer, at: 0, ended: false, fault: None, number: 0, place }
    }

    /// The next records; none at the end of the file.
    pub(super) fn next_batch(&mut self) -> Vec<Span> {
        self.forget();
        let mut spans = Vec::new();
        loop {
            match self.layout {
                Layout::Lines => self.cut_lines(&mut spans),
                _ => self.cut_values(&mut spans),
            }
            if self.ended || !spans.is_empty() {
                return spans;
            }
            self.fill();
        }
    }

    /// A record's bytes, until the next batch is taken.
    pub(super) fn bytes(&self, span: &Span) -> &[u8] {
        self.buffer.get(span.start..span.end).unwrap_or_default()
    }

    /// Why the file could not be read to its end, when it could not.
    pub(super) fn fault(&self) -> Option<String> {
        let unfinished = !self.place.open.is_empty() || self.place.record.is_some();
        if self.ended && self.fault.is_none() && unfinished {
            let inside = match self.place.record {
                Some(_) => format!("record {}", self.number + 1),
                None => "the document".to_owned(),
            };
            return Some(format!(
                "the file ends inside {inside}: it is cut off; what stands before was read"
            ));
        }
        self.fault.clone()
    }

    /// Drops what has been cut from the front of the buffer.
    fn forget(&mut self) {
        let keep = self.place.record.map_or(self.at, |(start, _)| start);
        self.buffer.drain(..keep.min(self.buffer.len()));
        self.at -= keep;
        if let Some((start, _)) = &mut self.place.record {
            *start = 0;
        }
    }

    fn fill(&mut self) {
        if self.buffer.len() > LARGEST {
            self.stop(format!("a record is larger than {} MiB", LARGEST / (1024 * 1024)));
            return;
        }
        // Twice the buffer, so that a record much larger than a chunk is not scanned again and again.
        let wanted = CHUNK.max(self.buffer.len());
        match (&mut self.input).take(wanted as u64).read_to_end(&mut self.buffer) {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            // The whole records of what was decoded before the error are still cut.
            Err(error) => {
                self.ended = true;
                self.fault = Some(format!("cannot read on: {error}; what stands before was read"));
            }
        }
    }

    /// Notes a record that ends where the cutter stands.
    fn push(&mut self, spans: &mut Vec<Span>, start: usize) {
        self.number += 1;
        let key = match self.layout {
            Layout::Nested(depth) => self.place.keys.get(..depth).unwrap_or_default().join("/"),
            _ => String::new(),
        };
        spans.push(Span { number: self.number, key, start, end: self.at });
    }

    /// Gives up on the rest of the file.
    fn stop(&mut self, fault: String) {
        self.ended = true;
        self.at = self.buffer.len();
        self.fault = Some(fault);
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    fn cut_lines(&mut self, spans: &mut Vec<Span>) {
        let complete = self.ended && self.fault.is_none();
        let end = match memchr::memrchr(b'\n', self.rest()) {
            _ if complete => self.buffer.len(),
            Some(newline) => self.at + newline + 1,
            None => return,
        };
        let region = self.buffer.get(self.at..end).unwrap_or_default();
        let mut from = 0;
        let newlines = memchr::memchr_iter(b'\n', region).map(|newline| newline + 1);
        for to in newlines.chain([region.len()]) {
            let line = region.get(from..to).unwrap_or_default();
            self.number += usize::from(!line.is_empty());
            let start = self.at + to - line.trim_ascii_start().len();
            let length = line.trim_ascii().len();
            if length > 0 {
                spans.push(Span { number: self.number, key: String::new(), start, end: start + length });
            }
            from = to;
        }
        self.at = end;
    }

    fn cut_values(&mut self, spans: &mut Vec<Span>) {
        let complete = self.ended && self.fault.is_none();
        loop {
            if let Some((start, depth)) = &mut self.place.record {
                if !scan::close(&self.buffer, &mut self.at, depth) {
                    break;
                }
                let start = *start;
                self.place.record = None;
                self.push(spans, start);
            }
            let Some(found) = scan::next(&self.buffer, self.at, complete) else { break };
            self.at = found.end;
            match self.place.step(&self.buffer, found, &self.layout) {
                Ok(true) => self.push(spans, found.start),
                Ok(false) => {}
                Err(message) => return self.stop(format!("{message}; what stands before was read")),
            }
        }
        let between = self.place.open.is_empty() && self.place.record.is_none();
        if complete && between && !self.rest().trim_ascii().is_empty() {
            self.fault = Some("the file ends inside a string".to_owned());
        }
    }
}

impl Place {
    /// Takes one token outside of records; whether it is a whole record.
    fn step(&mut self, buffer: &[u8], found: Found, layout: &Layout) -> Result<bool, String> {
        match found.token {
            Token::Open(_) if self.is_record(layout) => self.record = Some((found.start, 1)),
            Token::Open(byte) => {
                self.open.push(byte);
                self.key_next = byte == b'{';
            }
            Token::Close(byte) => {
                let opening = if byte == b'}' { b'{' } else { b'[' };
                if self.open.pop() != Some(opening) {
                    return Err(format!("a closing {:?} that nothing opened", char::from(byte)));
                }
            }
            Token::Comma => self.key_next = self.open.last() == Some(&b'{'),
            Token::Text if self.key_next => {
                self.key_next = false;
                self.remember_key(buffer, found);
            }
            Token::Text | Token::Scalar => return Ok(self.is_record(layout)),
            Token::Colon => {}
        }
        Ok(false)
    }

    fn remember_key(&mut self, buffer: &[u8], found: Found) {
        let key = buffer.get(found.start + 1..found.end - 1).unwrap_or_default();
        self.keys.truncate(self.open.len() - 1);
        self.keys.resize(self.open.len() - 1, String::new());
        self.keys.push(String::from_utf8_lossy(key).into_owned());
    }

    /// Whether a value that starts here is a record.
    fn is_record(&self, layout: &Layout) -> bool {
        let under = |key: &str| self.keys.first().is_some_and(|first| first == key);
        match (layout, self.open.as_slice()) {
            (Layout::Lines, _) => false,
            (Layout::Whole, open) => open.is_empty(),
            (Layout::Elements, open) => open == b"[",
            (Layout::Member(key), open) => open == b"{[" && under(key),
            (Layout::Key(key), open) => open == b"{" && under(key),
            (Layout::Nested(depth), open) => open.len() == *depth && open.iter().all(|byte| *byte == b'{'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, so that every token is cut everywhere.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.len().min(1).min(to.len());
            to[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn cut(text: &str, layout: Layout) -> (Vec<String>, Option<String>) {
        let mut all = Vec::new();
        let mut records = Records::new(Vec::new(), Slow(text.as_bytes()), layout);
        loop {
            let spans = records.next_batch();
            if spans.is_empty() {
                return (all, records.fault());
            }
            for span in &spans {
                let text = String::from_utf8_lossy(records.bytes(span)).into_owned();
                all.push(format!("{}{}:{text}", span.number, span.key));
            }
        }
    }

    #[test]
    fn every_layout_is_cut_at_its_records() {
        for (text, layout, records) in [
            ("{\"a\":1}\n\n  {\"b\":2} \r\n3", Layout::Lines, vec!["1:{\"a\":1}", "3:{\"b\":2}", "4:3"]),
            (" {\"a\": [1]}\n[2]", Layout::Whole, vec!["1:{\"a\": [1]}", "2:[2]"]),
            ("[{\"a\":[]}, 7 ,\"x]\"]", Layout::Elements, vec!["1:{\"a\":[]}", "2:7", "3:\"x]\""]),
            ("{\"s\":{\"s\":[0]},\"r\":[{},[1]],\"t\":[2]}", Layout::Member("r"), vec!["1:{}", "2:[1]"]),
            ("{\"a\":[{\"i\":1}],\"i\":{\"b\":2}}", Layout::Key("i"), vec!["1:{\"b\":2}"]),
            (
                "{\"f\":{\"0\":{\"x\":{}},\"1\":2},\"g\":{\"0\":{}}}",
                Layout::Nested(2),
                vec!["1f/0:{\"x\":{}}", "2f/1:2", "3g/0:{}"],
            ),
            ("{\"0\":{\"x\":{}},\"1\":{}}", Layout::Nested(1), vec!["10:{\"x\":{}}", "21:{}"]),
        ] {
            assert_eq!(cut(text, layout), (records.into_iter().map(str::to_owned).collect(), None), "{text}");
        }
    }

    #[test]
    fn a_cut_off_document_keeps_what_stands_before() {
        let (records, fault) = cut(r#"[{"a":1},{"b":"#, Layout::Elements);
        assert_eq!(records, ["1:{\"a\":1}"]);
        assert!(fault.unwrap().contains("inside record 2"));
        assert!(cut(r#"[{"a":1},"#, Layout::Elements).1.unwrap().contains("inside the document"));
        assert!(cut("[1]]", Layout::Elements).1.unwrap().contains("nothing opened"));
        assert!(cut("\"abc", Layout::Whole).1.unwrap().contains("inside a string"));
    }
}
