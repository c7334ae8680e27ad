//! Recognises a file's format and layout by the keys at its beginning, never by its name.

use std::collections::BTreeSet;

use super::options::Format;
use super::palaestra;
use super::records::Layout;
use super::scan::{self, Token};

/// How much of a file is looked at, in bytes.
pub(super) const HEAD: usize = 256 * 1024;

/// How deep the keys stand that tell a format.
const DEEPEST: usize = 4;

/// How many records at the start are tried before a file of lines counts as unknown.
const TRIED: usize = 50;

/// Recognises a file by its first bytes; `None` when it holds no trajectories that we know.
pub(super) fn detect(head: &[u8], forced: Option<Format>) -> Option<(Format, Layout)> {
    if palaestra::has_header(head) || forced == Some(Format::Palaestra) {
        return Some((Format::Palaestra, Layout::Lines));
    }
    let shape = Shape::of(head);
    let found = match shape.root {
        b'[' => shape.record_format(2).map(|format| (format, Layout::Elements)),
        b'{' if shape.is_results() => Some((Format::Tau2, Layout::Member("simulations"))),
        b'{' => nested(&shape),
        _ => None,
    };
    let found = found.or_else(|| {
        let layout = if is_lines(head) { Layout::Lines } else { Layout::Whole };
        let mut lines = lines(head).take(TRIED).map(Shape::of);
        let format = match layout {
            Layout::Lines => lines.find_map(|line| line.record_format(1)),
            _ => shape.record_format(1),
        };
        format.map(|format| (format, layout))
    });
    match (found, forced) {
        (Some((_, layout)), Some(format)) => Some((format, layout)),
        (None, Some(format)) => Some((format, layout_of_unknown(head, shape.root))),
        (found, None) => found,
    }
}

/// The layout of a file whose records look like nothing known, by its brackets alone.
fn layout_of_unknown(head: &[u8], root: u8) -> Layout {
    match root {
        b'[' => Layout::Elements,
        _ if is_lines(head) => Layout::Lines,
        _ => Layout::Whole,
    }
}

/// InterCode keeps its records under one key each, with or without a key per file system before.
fn nested(shape: &Shape<'_>) -> Option<(Format, Layout)> {
    [1, 2].into_iter().find_map(|depth| {
        let is = shape.has(depth + 1, "turn_history");
        is.then_some((Format::InterCode, Layout::Nested(depth)))
    })
}

/// Whether every line is a document: the first closes what it opens, or the second opens anew.
fn is_lines(head: &[u8]) -> bool {
    let mut lines = lines(head);
    let Some(first) = lines.next() else { return false };
    if !first.starts_with(b"{") {
        return lines.take(TRIED).any(|line| line.starts_with(b"{"));
    }
    Shape::of(first).closed || lines.next().is_some_and(|line| line.starts_with(b"{"))
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

/// The keys of a text and how deep they stand: 1 is the outermost object.
struct Shape<'a> {
    root: u8,
    keys: BTreeSet<(usize, &'a [u8])>,
    /// Whether the outermost value ends within the text.
    closed: bool,
}

impl<'a> Shape<'a> {
    fn of(text: &'a [u8]) -> Self {
        let mut shape = Self { root: 0, keys: BTreeSet::new(), closed: false };
        let (mut at, mut open) = (0, Vec::new());
        let mut key_next = false;
        while let Some(found) = scan::next(text, at, true) {
            at = found.end;
            match found.token {
                // Nobody asks for keys this deep.
                Token::Open(_) if open.len() == DEEPEST => {
                    if !scan::close(text, &mut at, &mut 1) {
                        break;
                    }
                    key_next = false;
                }
                Token::Open(byte) => {
                    if open.is_empty() {
                        shape.root = byte;
                    }
                    open.push(byte);
                    key_next = byte == b'{';
                }
                Token::Close(_) => {
                    open.pop();
                    key_next = false;
                }
                Token::Comma => key_next = open.last() == Some(&b'{'),
                Token::Text if key_next => {
                    key_next = false;
                    let key = text.get(found.start + 1..found.end - 1).unwrap_or_default();
                    shape.keys.insert((open.len(), key));
                }
                Token::Text | Token::Scalar | Token::Colon => {}
            }
            if open.is_empty() {
                shape.closed = shape.root != 0;
                break;
            }
        }
        shape
    }

    fn has(&self, depth: usize, key: &str) -> bool {
        self.keys.contains(&(depth, key.as_bytes()))
    }

    /// tau2-bench's results file.
    fn is_results(&self) -> bool {
        let listed = self.has(1, "simulations") || (self.has(1, "info") && self.has(1, "tasks"));
        listed && !self.has(1, "messages")
    }

    /// The format of records whose own keys stand at this depth.
    fn record_format(&self, depth: usize) -> Option<Format> {
        let has = |key: &str| self.has(depth, key);
        if has("trace") {
            Some(Format::Tau2Trace)
        } else if has("traj") {
            Some(Format::Tau1)
        } else if has("turn_history") {
            Some(Format::InterCode)
        } else if has("messages") {
            let verdict = ["reward_info", "run_info", "termination_reason"].into_iter().any(has);
            let own = ["turn_idx", "requestor"].into_iter().any(|key| self.has(depth + 2, key));
            Some(if verdict || own { Format::Tau2 } else { Format::OpenAiChat })
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart_by_their_keys() {
        for (head, format, layout) in [
            (r#"[{"task_id":0,"traj":[]}]"#, Format::Tau1, Layout::Elements),
            (
                r#"{"timestamp":1,"info":{},"tasks":[{"messages":1}]"#,
                Format::Tau2,
                Layout::Member("simulations"),
            ),
            ("{\"run_info\":{},\"messages\":[]}\n{\"x", Format::Tau2, Layout::Lines),
            ("{\n \"messages\": [{\"turn_idx\": 0}]\n}", Format::Tau2, Layout::Whole),
            ("{\"messages\":[]}\n{\"messages\":[]}\n", Format::OpenAiChat, Layout::Lines),
            (r#"[{"messages":[]}]"#, Format::OpenAiChat, Layout::Elements),
            ("not json\n{\"trace\":{}}\n", Format::Tau2Trace, Layout::Lines),
            ("{\"cut\n{\"trace\":{}}\n", Format::Tau2Trace, Layout::Lines),
            (r#"{"0":{"turn_history":{}}}"#, Format::InterCode, Layout::Nested(1)),
            (r#"{"fs_1":{"0":{"turn_history":{}}}}"#, Format::InterCode, Layout::Nested(2)),
        ] {
            assert_eq!(detect(head.as_bytes(), None), Some((format, layout)), "{head}");
        }
        for head in
            ["", "hello", "[1,2]", r#"{"telecom-1":"text"}"#, r#"{"tau2/retail/5":{"user_scenario":{}}}"#]
        {
            assert_eq!(detect(head.as_bytes(), None), None, "{head}");
        }
        assert_eq!(detect(b"[1]", Some(Format::Tau1)), Some((Format::Tau1, Layout::Elements)));
    }
}
