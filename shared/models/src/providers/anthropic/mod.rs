//! Anthropic's messages protocol, also spoken by gateways and local servers.
//!
//! A structured answer is asked for as the one tool that the model must call.

mod decode;
mod encode;
mod provider;

pub(super) use provider::AnthropicProvider;
