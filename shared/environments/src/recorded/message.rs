//! Chat messages as they stand in the records: OpenAI's form and tau2-bench's own, in one type.
//!
//! tau2-bench writes `{name, arguments, requestor}` where OpenAI writes `{function: {name,
//! arguments}}`, and gives a tool message's call as `id` where OpenAI gives `tool_call_id`.
//! Fields that nothing here needs are skipped unread.

use std::borrow::Cow;
use std::fmt;

use palaestra_domain::TokenUsage;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::arguments::Parsed;

/// A string that borrows from the record where it can, also inside an `Option`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// An id that some records write as a number and others as a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Id(pub String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;
        impl Visitor<'_> for IdVisitor {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a whole number")
            }

            fn visit_str<E>(self, text: &str) -> Result<Id, E> {
                Ok(Id(text.to_owned()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Id, E> {
                Ok(Id(number.to_string()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Id, E> {
                Ok(Id(number.to_string()))
            }
        }
        deserializer.deserialize_any(IdVisitor)
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    /// The policy; not an event.
    #[serde(alias = "developer")]
    System,
    /// The person, or the model that plays one.
    User,
    /// The agent.
    Assistant,
    /// The answer to a call.
    #[serde(alias = "function")]
    Tool,
}

/// A message's text: a string, nothing, or parts of which the text ones count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// The text; parts are joined without a separator.
    pub text: String,
    /// Parts that are no text (images and the like) and were left out.
    pub left_out: usize,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, null or a list of parts")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content { text: text.to_owned(), left_out: 0 })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
        let mut content = Content::default();
        while let Some(part) = seq.next_element::<Part>()? {
            match part.0 {
                Some(text) => content.text.push_str(&text),
                None => content.left_out += 1,
            }
        }
        Ok(content)
    }
}

/// One part of a message: its text, when it has one.
struct Part(Option<String>);

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartVisitor;
        impl<'de> Visitor<'de> for PartVisitor {
            type Value = Part;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a part with a type")
            }

            fn visit_str<E>(self, text: &str) -> Result<Part, E> {
                Ok(Part(Some(text.to_owned())))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part, A::Error> {
                let mut text = None;
                while let Some(key) = map.next_key::<Text<'_>>()? {
                    if key.0 == "text" {
                        text = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Part(text))
            }
        }
        deserializer.deserialize_any(PartVisitor)
    }
}

/// Tokens of one message.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct Usage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

impl Usage {
    /// In the domain's words.
    pub(super) fn tokens(self) -> TokenUsage {
        TokenUsage {
            input: self.prompt_tokens.unwrap_or(0),
            output: self.completion_tokens.unwrap_or(0),
            ..TokenUsage::default()
        }
    }
}

/// The function of a call, in OpenAI's form.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(default)]
    pub arguments: Parsed,
}

/// One call, in either form.
#[derive(Debug, Deserialize)]
pub(super) struct ToolCall<'a> {
    #[serde(default)]
    pub id: Option<String>,
    #[serde(borrow, default)]
    pub function: Option<Function<'a>>,
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(default)]
    pub arguments: Option<Parsed>,
    #[serde(borrow, default)]
    pub requestor: Option<Text<'a>>,
}

/// One message, in either form.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    pub role: Role,
    #[serde(default)]
    pub content: Content,
    #[serde(borrow, default)]
    pub tool_calls: Option<Vec<ToolCall<'a>>>,
    /// OpenAI's single call of before tool calls.
    #[serde(borrow, default)]
    pub function_call: Option<Function<'a>>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub tool_call_id: Option<String>,
    /// tau2-bench's own flag of a failed call.
    #[serde(default)]
    pub error: Option<bool>,
    #[serde(default)]
    pub usage: Option<Usage>,
}
