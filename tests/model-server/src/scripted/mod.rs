//! Scripted agents of the workshop as chat models: an agent is run again from its reset state
//! against the results that the conversation already holds, and its first step beyond them is the
//! answer.

mod cast;
mod conversation;
mod deed;
mod names;
mod replay;

pub(crate) use cast::Cast;
