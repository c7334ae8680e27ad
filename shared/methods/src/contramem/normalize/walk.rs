//! Walks JSON text leaf by leaf without building it: a tool's answer is often kilobytes, and only
//! its leaves and its outer shape matter.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// The outer shape of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// An object with its keys, in order.
    Object(Vec<String>),
    /// A list with its length and its first item's shape.
    List(usize, Option<Box<Shape>>),
    /// Text, its length in bytes.
    Text(usize),
    /// A number.
    Number,
    /// A boolean.
    Flag,
    /// Null.
    Null,
}

/// What a walk calls back with: the key that the leaf stands under (the closest one) and the leaf.
pub(super) trait Leaves {
    /// A text leaf.
    fn text(&mut self, key: &str, value: &str);
    /// A whole number.
    fn integer(&mut self, key: &str, value: u64);
    /// An object's key.
    fn key(&mut self, key: &str);
}

/// Walks a JSON text; none when it is not JSON.
pub(super) fn walk(text: &str, leaves: &mut impl Leaves) -> Option<Shape> {
    let first = text.trim_start().bytes().next()?;
    if !matches!(first, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') {
        return None;
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let shape = Walk { key: "", leaves, keep: 2 }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(shape)
}

/// Walks a value that is already built, with the same call-backs.
pub(super) fn walk_value(key: &str, value: &serde_json::Value, leaves: &mut impl Leaves) {
    match value {
        serde_json::Value::String(text) => leaves.text(key, text),
        serde_json::Value::Number(number) => match number.as_u64() {
            Some(integer) => leaves.integer(key, integer),
            None => leaves.text(key, &number.to_string()),
        },
        serde_json::Value::Array(items) => items.iter().for_each(|item| walk_value(key, item, leaves)),
        serde_json::Value::Object(map) => {
            for (inner, item) in map {
                leaves.key(inner);
                walk_value(inner, item, leaves);
            }
        }
        _ => {}
    }
}

struct Walk<'a, L> {
    key: &'a str,
    leaves: &'a mut L,
    /// How many more levels of shape are kept.
    keep: u8,
}

impl<'de, L: Leaves> DeserializeSeed<'de> for Walk<'_, L> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, L: Leaves> Visitor<'de> for Walk<'_, L> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_str<E>(self, value: &str) -> Result<Shape, E> {
        self.leaves.text(self.key, value);
        Ok(Shape::Text(value.len()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Shape, E> {
        self.leaves.integer(self.key, value);
        Ok(Shape::Number)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Flag)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let (mut count, mut first) = (0, None);
        let mut keep = self.keep.saturating_sub(1);
        while let Some(shape) = items.next_element_seed(Walk { key: self.key, leaves: self.leaves, keep })? {
            if keep > 0 {
                first = Some(Box::new(shape));
            }
            // Only the first item's shape is told.
            keep = 0;
            count += 1;
        }
        Ok(Shape::List(count, first))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Shape, A::Error> {
        let mut keys = Vec::new();
        let keep = self.keep.saturating_sub(1);
        while let Some(Key(key)) = fields.next_key()? {
            self.leaves.key(&key);
            fields.next_value_seed(Walk { key: &key, leaves: self.leaves, keep })?;
            if self.keep > 0 {
                keys.push(key.into_owned());
            }
        }
        Ok(Shape::Object(keys))
    }
}

/// An object's key where it lies, or a copy where it is written with escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}
