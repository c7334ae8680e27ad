//! Typed tools as a table: one declaration gives the JSON Schema, the check of the arguments in
//! words, and the defaults.

use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_domain::{DomainError, FunctionName};
use serde_json::{Map, Value, json};

use super::world::World;

/// Declares an enum whose variants an agent reads and writes as upper-case words.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
        pub(crate) enum $name { $(#[serde(rename = $text)] $variant),+ }

        impl $name {
            /// All words, in order.
            pub(crate) const WORDS: &'static [&'static str] = &[$($text),+];

            /// Reads a word; the tool's check has already refused any other.
            pub(crate) fn read(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(format!("`{text}` is not one of {}", Self::WORDS.join(", "))),
                }
            }
        }
    };
}
pub(crate) use words;

/// What an argument may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// An e-mail address.
    Address,
    /// A list of e-mail addresses; their order says nothing.
    Addresses,
    /// A whole number within bounds.
    Integer { low: i64, high: i64 },
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A day, `YYYY-MM-DD`.
    Date,
    /// A minute, `YYYY-MM-DD HH:MM`.
    Time,
}

/// What an argument is when the caller leaves it out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Preset {
    /// It cannot be left out.
    Required,
    /// A text.
    Text(&'static str),
    /// A number.
    Integer(i64),
    /// An empty list.
    Nobody,
}

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) preset: Preset,
    pub(crate) about: &'static str,
}

impl Param {
    /// An argument that has to be given.
    pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, preset: Preset::Required, about }
    }

    /// A text that is empty when left out.
    pub(crate) const fn text_or_empty(name: &'static str, about: &'static str) -> Self {
        Self { name, kind: Kind::Text, preset: Preset::Text(""), about }
    }
}

/// One callable function.
pub(crate) struct Tool {
    pub(crate) app: &'static str,
    pub(crate) function: &'static str,
    pub(crate) about: &'static str,
    pub(crate) effect: Effect,
    pub(crate) params: &'static [Param],
    /// Acts on the world; an error is a sentence for the agent and has changed nothing.
    pub(crate) run: fn(&mut World, &Args) -> Result<Value, String>,
}

impl Tool {
    /// The function's published interface.
    pub(crate) fn spec(&self) -> Result<ToolSpec, DomainError> {
        let properties: Map<String, Value> =
            self.params.iter().map(|param| (param.name.to_owned(), schema(param))).collect();
        let required: Vec<&str> =
            self.params.iter().filter(|p| matches!(p.preset, Preset::Required)).map(|p| p.name).collect();
        Ok(ToolSpec {
            name: FunctionName::new(self.app, self.function)?,
            description: self.about.to_owned(),
            parameters: json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            }),
            effect: self.effect,
        })
    }

    /// Whether `App.function` names this tool.
    pub(crate) fn is(&self, name: &str) -> bool {
        name.split_once('.') == Some((self.app, self.function))
    }

    /// Checks arguments and fills in what was left out. The error says what to do.
    pub(crate) fn check(&self, arguments: &Map<String, Value>) -> Result<Args, String> {
        let known =
            || self.params.iter().map(|param| format!("`{}`", param.name)).collect::<Vec<_>>().join(", ");
        for key in arguments.keys() {
            if !self.params.iter().any(|param| param.name == key) {
                return Err(format!(
                    "unknown argument `{key}`: {}.{} takes {}",
                    self.app,
                    self.function,
                    known()
                ));
            }
        }
        let mut checked = Map::new();
        for param in self.params {
            let value = match (arguments.get(param.name), param.preset) {
                (Some(value), _) => check_value(param, value)?,
                (None, Preset::Required) => {
                    return Err(format!("missing argument `{}`: {}", param.name, param.about));
                }
                (None, Preset::Text(text)) => Value::from(text),
                (None, Preset::Integer(number)) => Value::from(number),
                (None, Preset::Nobody) => Value::Array(Vec::new()),
            };
            checked.insert(param.name.to_owned(), value);
        }
        Ok(Args(checked))
    }
}

/// Arguments that were checked against a tool's declaration: every declared key is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Args(pub(crate) Map<String, Value>);

impl Args {
    /// A text argument.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number argument.
    pub(crate) fn integer(&self, key: &str) -> i64 {
        self.0.get(key).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A list argument.
    pub(crate) fn texts(&self, key: &str) -> Vec<String> {
        let list = self.0.get(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

fn schema(param: &Param) -> Value {
    let mut schema = match param.kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Address => json!({ "type": "string", "format": "email" }),
        Kind::Addresses => json!({ "type": "array", "items": { "type": "string", "format": "email" } }),
        Kind::Integer { low, high } => json!({ "type": "integer", "minimum": low, "maximum": high }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words }),
        Kind::Date => json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" }),
        Kind::Time => {
            json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}$" })
        }
    };
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), Value::from(param.about));
        match param.preset {
            Preset::Required => {}
            Preset::Text(text) => drop(object.insert("default".to_owned(), Value::from(text))),
            Preset::Integer(number) => drop(object.insert("default".to_owned(), Value::from(number))),
            Preset::Nobody => drop(object.insert("default".to_owned(), json!([]))),
        }
    }
    schema
}

fn check_value(param: &Param, value: &Value) -> Result<Value, String> {
    let name = param.name;
    let wrong = |wanted: &str| Err(format!("`{name}` must be {wanted}, got {value}"));
    match (param.kind, value) {
        (Kind::Text, Value::String(_)) => Ok(value.clone()),
        (Kind::Text, _) => wrong("a text"),
        (Kind::Address, Value::String(text)) => check_address(name, text).map(|()| value.clone()),
        (Kind::Address, _) => wrong("an e-mail address"),
        (Kind::Addresses, Value::Array(list)) => {
            let mut addresses = Vec::new();
            for entry in list {
                let Some(text) = entry.as_str() else { return wrong("a list of e-mail addresses") };
                check_address(name, text)?;
                addresses.push(text.to_owned());
            }
            addresses.sort();
            addresses.dedup();
            Ok(Value::from(addresses))
        }
        (Kind::Addresses, _) => wrong("a list of e-mail addresses"),
        (Kind::Integer { low, high }, _) => match value.as_i64() {
            Some(number) if (low..=high).contains(&number) => Ok(value.clone()),
            _ => wrong(&format!("a whole number from {low} to {high}")),
        },
        (Kind::Choice(words), _) => match value.as_str() {
            Some(text) if words.contains(&text) => Ok(value.clone()),
            _ => wrong(&format!("one of {}", words.join(", "))),
        },
        (Kind::Date, _) if value.as_str().is_some_and(|text| has_form(text, "0000-00-00")) => {
            Ok(value.clone())
        }
        (Kind::Date, _) => wrong("a day like 2031-04-09"),
        (Kind::Time, _) if value.as_str().is_some_and(|text| has_form(text, "0000-00-00 00:00")) => {
            Ok(value.clone())
        }
        (Kind::Time, _) => wrong("a time like 2031-04-09 14:30"),
    }
}

fn check_address(name: &str, text: &str) -> Result<(), String> {
    let fine = text.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.contains('.') && !text.contains(char::is_whitespace)
    });
    if fine {
        Ok(())
    } else {
        Err(format!(
            "`{name}` holds \"{text}\", which is not an e-mail address: contacts.find_contacts gives addresses"
        ))
    }
}

/// Whether a text follows a form in which `0` stands for any digit.
fn has_form(text: &str, form: &str) -> bool {
    text.chars().count() == form.chars().count()
        && text.chars().zip(form.chars()).all(|(c, f)| if f == '0' { c.is_ascii_digit() } else { c == f })
}
