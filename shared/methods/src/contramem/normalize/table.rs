//! The values of one task, each with its type and number.

use std::collections::HashMap;

use palaestra_domain::Trajectory;
use palaestra_domain::placeholder::Placeholder;
use palaestra_domain::trajectory::EventBody;

use super::classify::{Class, classify};
use super::walk::{Leaves, Shape, walk, walk_value};

/// Every task-specific value that the attempts at one task show, in order of first appearance.
#[derive(Debug, Default)]
pub struct ValueTable {
    entries: Vec<Entry>,
    index: HashMap<String, usize>,
    counts: HashMap<Placeholder, usize>,
}

#[derive(Debug)]
struct Entry {
    value: String,
    placeholder: Placeholder,
    /// The numbered form; none for moments, which packets keep.
    numbered: Option<String>,
}

impl ValueTable {
    /// Collects the values of all attempts at one task, and the shape of each observation by
    /// attempt and event.
    pub(super) fn harvest(attempts: &[Trajectory]) -> (Self, HashMap<(usize, usize), Shape>) {
        let mut table = Self::default();
        let mut shapes = HashMap::new();
        for (attempt_index, attempt) in attempts.iter().enumerate() {
            for (event_index, event) in attempt.events.iter().enumerate() {
                match &event.body {
                    EventBody::Call { arguments, .. } => {
                        for (key, value) in arguments.object().into_iter().flatten() {
                            walk_value(key, value, &mut table);
                        }
                    }
                    EventBody::Observation { content, .. } => {
                        if let Some(shape) = walk(content, &mut table) {
                            shapes.insert((attempt_index, event_index), shape);
                        }
                    }
                    _ => {}
                }
            }
        }
        (table, shapes)
    }

    /// All values with their types, moments included, in order of first appearance.
    pub fn values(&self) -> impl Iterator<Item = (&str, Placeholder)> {
        self.entries.iter().map(|entry| (entry.value.as_str(), entry.placeholder))
    }

    /// The values that packets replace, with their numbered placeholders.
    pub(super) fn replaced(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|e| e.numbered.as_deref().map(|n| (e.value.as_str(), n)))
    }

    /// The numbered placeholder of exactly this value.
    pub(super) fn placeholder_of(&self, value: &str) -> Option<&str> {
        self.index.get(value.trim()).and_then(|i| self.entries.get(*i)).and_then(|e| e.numbered.as_deref())
    }

    fn add(&mut self, value: &str, placeholder: Placeholder, replaced: bool) {
        let value = value.trim();
        if self.index.contains_key(value) {
            return;
        }
        let numbered = replaced.then(|| {
            let count = self.counts.entry(placeholder).or_default();
            *count += 1;
            placeholder.numbered(*count)
        });
        self.index.insert(value.to_owned(), self.entries.len());
        self.entries.push(Entry { value: value.to_owned(), placeholder, numbered });
    }
}

impl Leaves for ValueTable {
    fn text(&mut self, key: &str, value: &str) {
        match classify(key, value) {
            Class::Private(placeholder) => self.add(value, placeholder, true),
            Class::Moment => self.add(value, Placeholder::DateOrTime, false),
            Class::Public => {}
        }
    }

    fn integer(&mut self, _: &str, value: u64) {
        if value >= 100_000 {
            self.add(&value.to_string(), Placeholder::Id, true);
        }
    }

    /// Some answers are keyed by data: product names, payment ids.
    fn key(&mut self, key: &str) {
        if !is_field_name(key) {
            match classify("", key) {
                Class::Private(placeholder) => self.add(key, placeholder, true),
                Class::Moment => self.add(key, Placeholder::DateOrTime, false),
                Class::Public => {}
            }
        }
    }
}

/// Whether an object's key is a word of the interface rather than data.
pub(super) fn is_field_name(key: &str) -> bool {
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits < 3 && key.len() <= 40 && !key.contains([' ', '@', '/', '#'])
}
