//! The arguments of a call: a JSON object, JSON text of one, or whatever the model wrote.

use std::fmt;

use palaestra_domain::trajectory::Arguments;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::decode::without_lone_surrogates;

/// Arguments as read, with notes of what was replaced in them.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The arguments.
    pub arguments: Arguments,
    /// What was replaced.
    pub notes: Vec<String>,
}

impl Default for Parsed {
    /// A call without an arguments field is a call without arguments.
    fn default() -> Self {
        Self { arguments: Arguments::Object(Map::new()), notes: Vec::new() }
    }
}

/// Reads arguments that came as text.
fn from_text(text: &str) -> Parsed {
    let mut notes = Vec::new();
    let clean = without_lone_surrogates(text, "of a call's arguments", &mut notes);
    let arguments = match serde_json::from_str::<Value>(clean.as_deref().unwrap_or(text)) {
        Ok(Value::Object(map)) => Arguments::Object(map),
        Ok(other) => not_an_object(text.to_owned(), &other),
        // Text that is kept as it came has had nothing replaced.
        Err(error) => {
            notes.clear();
            Arguments::Malformed { text: text.to_owned(), error: error.to_string() }
        }
    };
    Parsed { arguments, notes }
}

fn not_an_object(text: String, value: &Value) -> Arguments {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Arguments::Malformed { text, error: format!("expected a JSON object, found {kind}") }
}

struct ParsedVisitor;

impl ParsedVisitor {
    fn other(value: &Value) -> Parsed {
        Parsed { arguments: not_an_object(value.to_string(), value), notes: Vec::new() }
    }
}

impl<'de> Visitor<'de> for ParsedVisitor {
    type Value = Parsed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("arguments")
    }

    fn visit_str<E>(self, text: &str) -> Result<Parsed, E> {
        Ok(from_text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Parsed, A::Error> {
        let map = Map::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Parsed { arguments: Arguments::Object(map), notes: Vec::new() })
    }

    fn visit_unit<E>(self) -> Result<Parsed, E> {
        Ok(Self::other(&Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Parsed, E> {
        Ok(Self::other(&value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Parsed, E> {
        Ok(Self::other(&value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Parsed, E> {
        Ok(Self::other(&value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Parsed, E> {
        Ok(Self::other(&value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parsed, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<Value>()? {
            items.push(item);
        }
        Ok(Self::other(&Value::Array(items)))
    }
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParsedVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Parsed {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn objects_come_as_objects_or_as_text() {
        for json in [r#"{"a":[1,{"b":null}]}"#, r#""{\"a\":[1,{\"b\":null}]}""#] {
            let parsed = read(json);
            assert_eq!(
                Value::Object(parsed.arguments.object().unwrap().clone()).to_string(),
                r#"{"a":[1,{"b":null}]}"#
            );
        }
    }

    #[test]
    fn what_is_no_object_is_kept_as_it_came() {
        for (json, text, error) in [
            (r#""{\"a\": 1""#, r#"{"a": 1"#, "EOF"),
            (r#""[1]""#, "[1]", "found an array"),
            ("[1]", "[1]", "found an array"),
            (r#""\"x\"""#, "\"x\"", "found a string"),
            ("null", "null", "found null"),
            ("3", "3", "found a number"),
            ("-3", "-3", "found a number"),
            ("0.5", "0.5", "found a number"),
            ("true", "true", "found a boolean"),
            (r#""""#, "", "EOF"),
        ] {
            let Arguments::Malformed { text: kept, error: why } = read(json).arguments else {
                panic!("{json}")
            };
            assert_eq!(kept, text);
            assert!(why.contains(error), "{json}: {why}");
        }
    }

    #[test]
    fn lone_surrogates_inside_argument_text_are_noted() {
        let parsed = read(r#""{\"a\":\"x\\ud83d\"}""#);
        assert_eq!(parsed.arguments.object().unwrap()["a"], "x\u{fffd}");
        assert_eq!(parsed.notes.len(), 1);
        assert!(read(r#""{\"a\":\"x\\ud83d""#).notes.is_empty());
    }
}
