//! The values of one task, each with its type and number.

use std::collections::HashMap;
use std::fmt::Write as _;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use palaestra_domain::Trajectory;
use palaestra_domain::placeholder::Placeholder;
use palaestra_domain::trajectory::EventBody;

use super::classify::{Class, Key, classify};
use super::observation::Answer;
use super::walk::{Leaves, Shape, walk, walk_value};

/// A hash map whose hashing is as fast as the values are many; only ever looked up, never listed.
pub(super) type FastMap<K, V> = HashMap<K, V, RandomState>;

/// Every task-specific value that the attempts at one task show, in order of first appearance.
#[derive(Debug, Default)]
pub struct ValueTable {
    entries: IndexMap<String, Entry, RandomState>,
    /// How many values of each type have a number.
    counts: FastMap<Placeholder, usize>,
    /// What is known of each key: answers repeat a few keys over and over.
    keys: FastMap<String, Key>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    placeholder: Placeholder,
    /// The number among the values of its type; none for moments, which packets keep.
    number: Option<usize>,
}

/// The numbered form of a value's placeholder: `<PERSON_2>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbered {
    placeholder: Placeholder,
    number: usize,
}

impl Numbered {
    pub(super) fn write(self, out: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(out, "<{}_{}>", self.placeholder.name(), self.number);
    }
}

impl ValueTable {
    /// Collects the values of all attempts at one task, and the distinct answers with their shapes
    /// where they are JSON.
    pub(super) fn harvest(attempts: &[Trajectory]) -> (Self, FastMap<Answer<'_>, Option<Shape>>) {
        let mut table = Self::default();
        let mut answers = FastMap::default();
        for event in attempts.iter().flat_map(|attempt| &attempt.events) {
            match &event.body {
                EventBody::Call { arguments, .. } => {
                    for (key, value) in arguments.object().into_iter().flatten() {
                        table.key(key);
                        walk_value(key, value, &mut table);
                    }
                }
                // Attempts at one task see the same answers over and over; the first time says it all.
                EventBody::Observation { content, error, .. } => {
                    let answer = Answer { content, error: *error };
                    answers.entry(answer).or_insert_with(|| walk(content, &mut table));
                }
                _ => {}
            }
        }
        (table, answers)
    }

    /// All values with their types, moments included, in order of first appearance.
    pub fn values(&self) -> impl Iterator<Item = (&str, Placeholder)> {
        self.entries.iter().map(|(value, entry)| (value.as_str(), entry.placeholder))
    }

    /// The values that packets replace, with their numbered placeholders.
    pub(super) fn replaced(&self) -> impl Iterator<Item = (&str, Numbered)> {
        self.entries.iter().filter_map(|(value, entry)| Some((value.as_str(), entry.numbered()?)))
    }

    /// The numbered placeholder of exactly this value.
    pub(super) fn placeholder_of(&self, value: &str) -> Option<Numbered> {
        self.entries.get(value.trim())?.numbered()
    }

    fn add(&mut self, value: &str, placeholder: Placeholder, replaced: bool) {
        let value = value.trim();
        if self.entries.contains_key(value) {
            return;
        }
        let number = replaced.then(|| {
            let count = self.counts.entry(placeholder).or_default();
            *count += 1;
            *count
        });
        self.entries.insert(value.to_owned(), Entry { placeholder, number });
    }
}

impl Entry {
    fn numbered(self) -> Option<Numbered> {
        Some(Numbered { placeholder: self.placeholder, number: self.number? })
    }
}

/// Keys under which even a small whole number is somebody's money.
const AMOUNT_KEYS: [&str; 5] = ["amount", "price", "total", "balance", "cost"];

impl Leaves for ValueTable {
    fn text(&mut self, key: &str, value: &str) {
        let key = match self.keys.get(key) {
            Some(known) => *known,
            None => *self.keys.entry(key.to_owned()).or_insert_with(|| Key::of(key)),
        };
        match classify(key, value) {
            Class::Private(placeholder) => self.add(value, placeholder, true),
            Class::Moment => self.add(value, Placeholder::DateOrTime, false),
            Class::Public => {}
        }
    }

    fn integer(&mut self, key: &str, value: u64) {
        if value >= 100_000 {
            self.add(&value.to_string(), Placeholder::Id, true);
        } else if value >= 10 && AMOUNT_KEYS.contains(&key) {
            self.add(&value.to_string(), Placeholder::Amount, true);
        }
    }

    /// Some answers are keyed by data: product names, payment ids.
    fn key(&mut self, key: &str) {
        if !is_field_name(key) {
            self.text("", key);
        }
    }
}

/// Whether an object's key is a word of the interface rather than data.
pub(super) fn is_field_name(key: &str) -> bool {
    let data = |byte: &u8| matches!(byte, b' ' | b'@' | b'/' | b'#');
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits < 3 && key.len() <= 40 && !key.as_bytes().iter().any(data)
}
