//! YAML as a tree whose nodes remember their line.
//!
//! The core schema's plain scalars (null, booleans, integers, floats) become JSON values; quoted
//! scalars are text. Anchors and aliases are refused: a run file is read by people.

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

use super::mistake::Mistake;

/// A node with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Line in the file, from 1.
    pub line: usize,
    /// What the node holds.
    pub kind: Kind,
}

/// The three shapes of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Null, a boolean, a number or text.
    Scalar(Value),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping in the order of the file: key, line of the key, value.
    Map(Vec<(String, usize, Node)>),
}

impl Node {
    /// The tree without its lines.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Map(fields) => {
                Value::Object(fields.iter().map(|(k, _, v)| (k.clone(), v.to_value())).collect::<Map<_, _>>())
            }
        }
    }

    /// The line of the field at a path like `spec.sources[1].scripted`, or of its closest parent.
    #[must_use]
    pub fn line_of(&self, path: &str) -> usize {
        let mut node = self;
        let mut line = self.line;
        for step in path.split(['.', '[']).map(|s| s.trim_end_matches(']')).filter(|s| !s.is_empty()) {
            let next = match &node.kind {
                Kind::Map(fields) => fields.iter().find(|(k, _, _)| k == step).map(|(_, l, n)| (*l, n)),
                Kind::List(items) => {
                    step.parse::<usize>().ok().and_then(|i| items.get(i)).map(|n| (n.line, n))
                }
                Kind::Scalar(_) => None,
            };
            match next {
                Some((at, child)) => (line, node) = (at, child),
                None => break,
            }
        }
        line
    }
}

/// Parses one YAML document.
///
/// # Errors
/// The syntax error, a repeated key, an anchor, or a second document, as one mistake.
pub fn parse(text: &str) -> Result<Node, Mistake> {
    let mut roots = parse_all(text)?;
    match roots.get(1) {
        Some(second) => Err(refuse(second.line, "a second document where one run is read")),
        None => roots.pop().ok_or_else(empty),
    }
}

/// Parses YAML documents; those without content are left out.
///
/// # Errors
/// The syntax error, a repeated key, an anchor, or that there is no document at all, as one mistake.
pub fn parse_all(text: &str) -> Result<Vec<Node>, Mistake> {
    let mut builder = Builder { open: Vec::new(), roots: Vec::new() };
    for item in Parser::new_from_str(text) {
        let (event, span) = item.map_err(|error| Mistake {
            line: error.marker().line(),
            path: String::new(),
            message: format!("this is not YAML: {}", error.info()),
        })?;
        builder.take(event, span.start.line())?;
    }
    builder.roots.retain(|root| root.kind != Kind::Scalar(Value::Null));
    if builder.roots.is_empty() { Err(empty()) } else { Ok(builder.roots) }
}

fn empty() -> Mistake {
    refuse(1, "the file is empty; `palaestra schema` shows what a run file holds")
}

/// A container that is still being filled.
enum Open {
    List { line: usize, items: Vec<Node> },
    Map { line: usize, fields: Vec<(String, usize, Node)>, key: Option<(String, usize)> },
}

struct Builder {
    open: Vec<Open>,
    roots: Vec<Node>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), Mistake> {
        match event {
            Event::Scalar(text, style, 0, _) => self.scalar(&text, style, line),
            Event::SequenceStart(_, 0, _) => {
                self.open.push(Open::List { line, items: Vec::new() });
                Ok(())
            }
            Event::MappingStart(_, 0, _) => {
                self.open.push(Open::Map { line, fields: Vec::new(), key: None });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { line, items }) => self.put(Node { line, kind: Kind::List(items) }),
                Some(Open::Map { line, fields, .. }) => self.put(Node { line, kind: Kind::Map(fields) }),
                None => Ok(()),
            },
            Event::Alias(_) | Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => Err(
                refuse(line, "anchors and aliases (& and *) are not used in run files; write the value out"),
            ),
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, line: usize) -> Result<(), Mistake> {
        if let Some(Open::Map { key: key @ None, fields, .. }) = self.open.last_mut() {
            if fields.iter().any(|(k, _, _)| k == text) {
                return Err(refuse(line, &format!("the key `{text}` stands twice in one mapping")));
            }
            *key = Some((text.to_owned(), line));
            return Ok(());
        }
        let value = if style == ScalarStyle::Plain { plain(text) } else { Value::String(text.to_owned()) };
        self.put(Node { line, kind: Kind::Scalar(value) })
    }

    fn put(&mut self, node: Node) -> Result<(), Mistake> {
        match self.open.last_mut() {
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { fields, key, .. }) => match key.take() {
                Some((name, line)) => fields.push((name, line, node)),
                None => return Err(refuse(node.line, "a key must be plain text")),
            },
            None => self.roots.push(node),
        }
        Ok(())
    }
}

fn refuse(line: usize, message: &str) -> Mistake {
    Mistake { line, path: String::new(), message: message.to_owned() }
}

/// A plain scalar by YAML 1.2's core schema.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from)).ok();
    }
    let float_like =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-' | b'+'));
    float_like.then(|| text.parse::<f64>().ok().and_then(Number::from_f64)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_follow_the_core_schema() {
        let node = parse("a: 7\nb: -1\nc: 0.5\nd: '7'\ne: ~\nf: true\ng: 2026-11-30\nh: [x, 1]\n").unwrap();
        assert_eq!(
            node.to_value(),
            serde_json::json!({"a":7,"b":-1,"c":0.5,"d":"7","e":null,"f":true,"g":"2026-11-30","h":["x",1]})
        );
        assert_eq!(node.line_of("h[1]"), 8);
        assert_eq!(node.line_of("h[9].zzz"), 8);
        assert_eq!(node.line_of("c"), 3);
    }

    #[test]
    fn what_a_run_file_may_not_hold_is_refused_with_its_line() {
        for (text, line, words) in [
            ("a: 1\na: 2\n", 2, "twice"),
            ("a: &x 1\nb: *x\n", 1, "anchors"),
            ("a: [1\n", 1, "not YAML"),
            ("", 1, "empty"),
            ("a: 1\n---\nb: 2\n", 3, "second document"),
        ] {
            let mistake = parse(text).unwrap_err();
            assert!(mistake.message.contains(words), "{text:?}: {mistake:?}");
            assert_eq!(mistake.line, line, "{text:?}: {mistake:?}");
        }
    }
}
