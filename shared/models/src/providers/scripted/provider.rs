//! The provider that answers from a script.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::TokenUsage;
use palaestra_runtime::{Clock, ErrorClass};

use super::canned;
use crate::error::Error;
use crate::failure::AttemptFailure;
use crate::providers::Provider;
use crate::request::ModelRequest;
use crate::response::{Finish, ModelResponse, ToolCall};
use crate::secrets::ApiKey;
use crate::settings::ModelSettings;
use crate::tokens;

type Script = dyn Fn(&ModelRequest) -> Result<ModelResponse, AttemptFailure> + Send + Sync;

/// Answers from a script; costs nothing.
pub struct ScriptedProvider {
    script: Box<Script>,
}

impl fmt::Debug for ScriptedProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScriptedProvider")
    }
}

impl ScriptedProvider {
    /// A provider whose answers a function gives. Equal requests must get equal answers.
    #[must_use]
    pub fn new(
        script: impl Fn(&ModelRequest) -> Result<ModelResponse, AttemptFailure> + Send + Sync + 'static,
    ) -> Self {
        Self { script: Box::new(script) }
    }

    /// A scripted answer to a request, with estimated usage.
    #[must_use]
    pub fn answer(
        request: &ModelRequest,
        text: impl Into<String>,
        tool_calls: Vec<ToolCall>,
    ) -> ModelResponse {
        let text = text.into();
        let usage = TokenUsage {
            input: tokens::estimate_prompt(request),
            output: tokens::estimate(&text),
            ..TokenUsage::default()
        };
        ModelResponse {
            text,
            reasoning: None,
            finish: if tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls },
            tool_calls,
            usage,
            usage_estimated: true,
            decoded_lossily: false,
            answered_by: request.model.model.clone(),
            request_id: None,
        }
    }

    pub(in crate::providers) fn build(
        settings: &ModelSettings,
        _base_url: &str,
        _key: Option<ApiKey>,
        _clock: Arc<dyn Clock>,
    ) -> Result<Arc<dyn Provider>, Error> {
        let path = settings.answers.as_deref().ok_or_else(|| Error::Settings {
            model: settings.model.clone(),
            message: "the scripted provider needs `answers`, the path of a file of canned answers".to_owned(),
        })?;
        let lines = canned::load(path)?;
        Ok(Arc::new(Self::new(move |request| match canned::answer(&lines, request) {
            Some((text, calls)) => Ok(Self::answer(request, text, calls)),
            None => {
                let message = "no canned answer fits the request; add a line to the file of answers";
                Err(AttemptFailure::new(ErrorClass::Rejected, message))
            }
        })))
    }
}

#[async_trait]
impl Provider for ScriptedProvider {
    async fn attempt(&self, request: &ModelRequest) -> Result<ModelResponse, AttemptFailure> {
        (self.script)(request)
    }

    fn bills(&self) -> bool {
        false
    }
}
