//! Typed identifiers, each checked once when it is built, so that a run name can never stand where
//! a task id is meant.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::DomainError;

/// Declares a string identifier whose constructor refuses what the rule forbids. Its text is shared
/// between clones: names are copied into every lease and event.
macro_rules! string_id {
    ($(#[$meta:meta])* $name:ident, $kind:literal, $rule:literal, $check:expr) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, schemars::JsonSchema)]
        #[schemars(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and wraps a name.
            ///
            /// # Errors
            /// [`DomainError::InvalidName`] with the rule that the text breaks.
            pub fn new(text: impl Into<String>) -> Result<Self, DomainError> {
                let text = text.into();
                let check: fn(&str) -> bool = $check;
                if check(&text) {
                    Ok(Self(text.into()))
                } else {
                    Err(DomainError::InvalidName { kind: $kind, value: text, rule: $rule })
                }
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    };
}

fn is_line(text: &str, max: usize) -> bool {
    !text.is_empty() && text.len() <= max && !text.chars().any(char::is_control) && text.trim() == text
}

string_id!(
    /// A run's name: the key of its durable state.
    RunName, "run name", "1 to 63 of a-z, 0-9 and '-', starting and ending with a letter or digit",
    |t| {
        let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        t.len() <= 63
            && edge(t.chars().next())
            && edge(t.chars().last())
            && t.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    }
);
string_id!(
    /// A condition of an evaluation: what memory, if any, the targets are given.
    ConditionName, "condition name", "1 to 40 of a-z, 0-9, '_' and '-'",
    |t| !t.is_empty() && t.len() <= 40
        && t.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
);
string_id!(
    /// One task of a benchmark, unique within an environment (for example `tau2/retail/5`).
    TaskId, "task id", "1 to 512 bytes on one line without outer blanks", |t| is_line(t, 512)
);
string_id!(
    /// A source: a model with its agent settings, or a scripted agent (§3.1, an element of M).
    SourceId, "source id", "1 to 200 bytes on one line without outer blanks", |t| is_line(t, 200)
);
string_id!(
    /// A task family with its own Skill Card bank (§3.1, an element a of A).
    Ability, "ability", "1 to 64 of a-z, 0-9, '_' and '-'",
    |t| !t.is_empty() && t.len() <= 64
        && t.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
);
string_id!(
    /// One worker process. A process that starts again takes a new id.
    WorkerId, "worker id", "1 to 128 bytes on one line without outer blanks", |t| is_line(t, 128)
);
string_id!(
    /// On whose behalf a run is done: the unit of rights and of accounting.
    TenantName, "tenant name", "1 to 64 bytes on one line without outer blanks", |t| is_line(t, 64)
);
string_id!(
    /// A card's id: `function::App.function` or `skill::skill_<hex>` (appendix B.1).
    CardId, "card id", "`function::App.function` or `skill::skill_` and 8 to 64 hexadecimal digits",
    |t| match t.split_once("::") {
        Some(("function", name)) => FunctionName::parse(name).is_ok(),
        Some(("skill", name)) => name.strip_prefix("skill_").is_some_and(|hex| {
            (8..=64).contains(&hex.len()) && hex.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
        }),
        _ => false,
    }
);

impl Ability {
    /// The bank of tasks that have no label and no domain (AppWorld: one global bank).
    #[must_use]
    pub fn global() -> Self {
        Self("global".into())
    }
}

/// A callable function as `App.function`, split once and for all.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionName {
    text: String,
    dot: usize,
}

impl FunctionName {
    /// Builds a name from its application and its function.
    ///
    /// # Errors
    /// [`DomainError::InvalidName`] when either part is empty or has a character outside
    /// letters, digits, `_`, `-` and (in the function only) further dots.
    pub fn new(app: &str, function: &str) -> Result<Self, DomainError> {
        let part = |t: &str, dots: bool| {
            !t.is_empty()
                && t.len() <= 128
                && t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || (dots && c == '.'))
        };
        let text = format!("{app}.{function}");
        if part(app, false) && part(function, true) {
            Ok(Self { text, dot: app.len() })
        } else {
            Err(DomainError::InvalidName {
                kind: "function name",
                value: text,
                rule: "`App.function` of letters, digits, '_' and '-'",
            })
        }
    }

    /// Reads `App.function`.
    ///
    /// # Errors
    /// [`DomainError::InvalidName`] when there is no dot or a part is not valid.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        match text.split_once('.') {
            Some((app, function)) => Self::new(app, function),
            None => Err(DomainError::InvalidName {
                kind: "function name",
                value: text.to_owned(),
                rule: "`App.function`: the application, a dot, the function",
            }),
        }
    }

    /// The application family, before the first dot.
    #[must_use]
    pub fn app(&self) -> &str {
        self.text.get(..self.dot).unwrap_or_default()
    }

    /// The callable name, after the first dot.
    #[must_use]
    pub fn function(&self) -> &str {
        self.text.get(self.dot + 1..).unwrap_or_default()
    }

    /// The whole `App.function`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for FunctionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for FunctionName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for FunctionName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for FunctionName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FunctionName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_.-]+$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_refuse_what_their_rule_forbids() {
        for bad in ["", "Upper", "-a", "a-", "a b", &"x".repeat(64)] {
            assert!(RunName::new(bad).is_err(), "{bad:?}");
        }
        assert!(RunName::new("tau2-retail-1").is_ok());
        for bad in ["", "x", "function::nodot", "skill::skill_", "skill::skill_XYZ12345", "skill::abc"] {
            assert!(CardId::new(bad).is_err(), "{bad:?}");
        }
        assert!(CardId::new("function::retail.get_order_details").is_ok());
        assert!(CardId::new("skill::skill_0123abcd").is_ok());
        assert!(TaskId::new("two\nlines").is_err());
    }

    #[test]
    fn a_function_name_is_split_at_its_first_dot() {
        let name = FunctionName::parse("EmailClientV2.delete_email").unwrap();
        assert_eq!((name.app(), name.function()), ("EmailClientV2", "delete_email"));
        for bad in ["", "nodot", ".f", "app.", "a b.c", "app.f g"] {
            assert!(FunctionName::parse(bad).is_err(), "{bad:?}");
        }
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(serde_json::from_str::<FunctionName>(&json).unwrap(), name);
    }
}
