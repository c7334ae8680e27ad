//! Structured answers: a schema is sent, the answer is parsed strictly, a faulty one is asked for
//! once more with the validator's own words, and then counted. Nothing is repaired silently.

use jsonschema::Validator;
use palaestra_domain::{Rejection, RejectionReason};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;
use crate::request::{Message, ModelRequest, Output};
use crate::response::{Finish, ModelResponse};
use crate::scope::{CallScope, Role};

/// Faults that a re-ask names, and characters of each.
const MAX_FAULTS: usize = 6;
const MAX_FAULT_CHARS: usize = 300;

/// A schema with its validator, built once.
#[derive(Debug, Clone)]
pub struct OutputSchema {
    name: String,
    schema: Value,
    validator: Validator,
}

impl OutputSchema {
    /// A schema under a name of 1 to 64 letters, digits, `_` and `-`.
    ///
    /// # Errors
    /// [`Error::Schema`] when the name or the schema is not valid.
    pub fn new(name: &str, schema: Value) -> Result<Self, Error> {
        let fail = |message: String| Error::Schema { name: name.to_owned(), message };
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > 64 || !name.chars().all(valid) {
            return Err(fail("the name must be 1 to 64 letters, digits, '_' and '-'".to_owned()));
        }
        let validator = jsonschema::validator_for(&schema).map_err(|error| fail(error.to_string()))?;
        Ok(Self { name: name.to_owned(), schema, validator })
    }

    /// The schema of a Rust type.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of<T: JsonSchema>(name: &str) -> Result<Self, Error> {
        Self::new(name, schemars::schema_for!(T).to_value())
    }
}

/// A structured answer, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Structured<T> {
    /// The answer fulfils its schema.
    Valid {
        /// The value.
        value: T,
        /// It stood in a fenced block, which was taken off.
        unfenced: bool,
        /// The first answer was faulty; this is the second.
        asked_again: bool,
    },
    /// There is no valid answer after one re-ask.
    Rejected(StructuredRejection),
}

/// Why a structured answer was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuredRejection {
    /// `Malformed` or `Truncated`.
    pub reason: RejectionReason,
    /// The validator's words, or how the answer ended.
    pub detail: String,
    /// The last answer's text, for the record.
    pub text: String,
}

impl From<StructuredRejection> for Rejection {
    fn from(rejection: StructuredRejection) -> Self {
        Self::new(rejection.reason, "", rejection.detail)
    }
}

impl CallScope {
    /// Asks for a value that fulfils `schema`. `request.output` is set here.
    ///
    /// An answer that was cut off is never parsed and not asked for again: the same limit would cut
    /// it again.
    ///
    /// # Errors
    /// As [`CallScope::ask`]. A faulty answer is no error but [`Structured::Rejected`].
    pub async fn ask_structured<T: DeserializeOwned>(
        &mut self,
        role: Role,
        mut request: ModelRequest,
        schema: &OutputSchema,
    ) -> Result<Structured<T>, Error> {
        request.output = Output::JsonSchema { name: schema.name.clone(), schema: schema.schema.clone() };
        let mut asked_again = false;
        loop {
            let response = self.ask(role, &request).await?;
            let detail = match read(&response, schema) {
                Ok((value, unfenced)) => return Ok(Structured::Valid { value, unfenced, asked_again }),
                Err(Fault::Final(rejection)) => return Ok(Structured::Rejected(rejection)),
                Err(Fault::Words(detail)) => detail,
            };
            tracing::info!(call.role = role.name(), asked_again, "a structured answer is faulty");
            if asked_again {
                let (reason, text) = (RejectionReason::Malformed, response.text);
                return Ok(Structured::Rejected(StructuredRejection { reason, detail, text }));
            }
            let said = if response.text.is_empty() { "(no text)".to_owned() } else { response.text };
            request.messages.push(Message::assistant(said));
            request.messages.push(Message::user(format!(
                "That answer cannot be used:\n{detail}\nAnswer again: the whole corrected JSON value and nothing else."
            )));
            asked_again = true;
        }
    }
}

enum Fault {
    /// Another try is of no use.
    Final(StructuredRejection),
    /// What to tell the model.
    Words(String),
}

fn read<T: DeserializeOwned>(response: &ModelResponse, schema: &OutputSchema) -> Result<(T, bool), Fault> {
    let end = |reason, detail: &str| {
        Fault::Final(StructuredRejection { reason, detail: detail.to_owned(), text: response.text.clone() })
    };
    match response.finish {
        Finish::Length => {
            return Err(end(RejectionReason::Truncated, "the answer was cut off at its output limit"));
        }
        Finish::ContentFilter => {
            return Err(end(RejectionReason::Malformed, "the service withheld or refused the answer"));
        }
        Finish::Stop | Finish::ToolCalls | Finish::Other(_) => {}
    }
    let (value, unfenced) = parse(&response.text).map_err(Fault::Words)?;
    let faults: Vec<String> = schema
        .validator
        .iter_errors(&value)
        .take(MAX_FAULTS)
        .map(|fault| {
            let path = fault.instance_path().to_string();
            let place = if path.is_empty() { "the value" } else { &path };
            format!("- at {place}: {}", fault.to_string().chars().take(MAX_FAULT_CHARS).collect::<String>())
        })
        .collect();
    if !faults.is_empty() {
        return Err(Fault::Words(faults.join("\n")));
    }
    let value = serde_json::from_value(value).map_err(|error| Fault::Words(format!("- {error}")))?;
    Ok((value, unfenced))
}

/// Strict JSON, as the whole text or in the one fenced block of the text.
fn parse(text: &str) -> Result<(Value, bool), String> {
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok((value, false)),
        Err(error) => error,
    };
    match fenced(text).map(serde_json::from_str) {
        Some(Ok(value)) => Ok((value, true)),
        Some(Err(error)) => Err(format!("- the fenced block is not valid JSON: {error}")),
        None => Err(format!("- the answer is not valid JSON: {error}")),
    }
}

/// The content of the only fenced block, when it claims to be JSON or nothing.
fn fenced(text: &str) -> Option<&str> {
    let mut parts = text.split("```");
    let (_before, block, _after) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (language, content) = block.split_once('\n')?;
    matches!(language.trim(), "json" | "JSON" | "").then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_json_or_one_fenced_block_is_read() {
        assert_eq!(parse(r#" {"a":1} "#).unwrap(), (serde_json::json!({ "a": 1 }), false));
        assert_eq!(parse("Here:\n```json\n{\"a\":1}\n```\n").unwrap(), (serde_json::json!({ "a": 1 }), true));
        for text in [
            "{\"a\":1",
            "{'a':1}",
            "{\"a\":1} and more",
            "```json\n1\n```\n```json\n2\n```",
            "```python\n1\n```",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bad_names_and_schemas_are_refused() {
        assert!(matches!(OutputSchema::new("a b", serde_json::json!({})), Err(Error::Schema { .. })));
        assert!(matches!(
            OutputSchema::new("a", serde_json::json!({ "type": 5 })),
            Err(Error::Schema { .. })
        ));
    }
}
