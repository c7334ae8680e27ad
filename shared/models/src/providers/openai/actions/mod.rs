//! Tool calls for models that cannot make them: each turn is one JSON action under a schema.
//!
//! A small model calls tools badly and writes JSON under a grammar well. So its tools stand in the
//! system text, one line each, `response_format` admits nothing but one action
//! `{"action": ..., "arguments": {...}}`, and what was called before stands in the conversation as
//! plain messages. The answer is read back as a tool call; nobody outside notices. Words are an
//! action as well: `say`.

mod listing;
mod messages;
mod plain;
mod read;
mod schema;

pub(super) use plain::plain;
use plain::{SAY, TOOL};
pub(super) use read::read;
