//! HTTP to a model service: one request, one classified outcome. No retry here.

mod answer;
pub(crate) mod classify;
mod endpoint;
mod retry_after;

pub(crate) use endpoint::{Endpoint, HttpAnswer};
