//! `provider/model`: one way to name a model everywhere.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::DomainError;

/// A model by the provider that serves it, for example `openai/gpt-5.5`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelRef {
    /// Before the first slash: a provider of the run file, or `builtin`.
    pub provider: String,
    /// After the first slash: the provider's own name; it may hold further slashes.
    pub model: String,
}

impl ModelRef {
    /// Reads `provider/model`.
    ///
    /// # Errors
    /// [`DomainError::InvalidName`] when either side is empty.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        match text.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
            }
            _ => Err(DomainError::InvalidName {
                kind: "model",
                value: text.to_owned(),
                rule: "`provider/model`, for example `openai/gpt-5.5` or `builtin/contrast-miner`",
            }),
        }
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl Serialize for ModelRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ModelRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for ModelRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ModelRef".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[^/]+/.+$" })
    }
}
