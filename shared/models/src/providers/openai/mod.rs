//! OpenAI-compatible chat completions: OpenAI, DeepSeek, Qwen, vLLM, LiteLLM, llama.cpp.
//!
//! Servers differ in small ways; the differences that a request must know are settings, those that
//! an answer shows are all understood.

mod actions;
mod decode;
mod encode;
mod provider;

pub(super) use provider::OpenAiProvider;
