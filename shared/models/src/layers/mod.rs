//! The layers of every call: journal, budget, retry, trace. The client puts them together.

pub(crate) mod journal;
pub(crate) mod retry;
pub(crate) mod ticket;
mod trace;
