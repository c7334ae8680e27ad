//! The provider: encode, post, decode.

use std::sync::Arc;

use async_trait::async_trait;
use palaestra_runtime::Clock;
use reqwest::header::AUTHORIZATION;

use super::{actions, decode, encode};
use crate::error::Error;
use crate::failure::AttemptFailure;
use crate::http::Endpoint;
use crate::providers::Provider;
use crate::providers::wire_names::WireNames;
use crate::request::ModelRequest;
use crate::response::ModelResponse;
use crate::secrets::ApiKey;
use crate::settings::{ModelSettings, ToolCallMode, WireOptions};

/// Chat completions.
#[derive(Debug)]
pub(in crate::providers) struct OpenAiProvider {
    endpoint: Endpoint,
    wire: WireOptions,
}

impl OpenAiProvider {
    pub(in crate::providers) fn build(
        settings: &ModelSettings,
        base_url: &str,
        key: Option<ApiKey>,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<dyn Provider>, Error> {
        let url = format!("{base_url}/chat/completions");
        let endpoint = Endpoint::new(settings, url, key, (AUTHORIZATION, "Bearer "), clock)?;
        Ok(Arc::new(Self { endpoint, wire: settings.wire }))
    }
}

#[async_trait]
impl Provider for OpenAiProvider {
    async fn attempt(&self, request: &ModelRequest) -> Result<ModelResponse, AttemptFailure> {
        if self.wire.tool_calls == ToolCallMode::JsonSchema
            && let Some(plain) = actions::plain(request)
        {
            return Ok(actions::read(self.answer(&plain).await?, request));
        }
        self.answer(request).await
    }
}

impl OpenAiProvider {
    async fn answer(&self, request: &ModelRequest) -> Result<ModelResponse, AttemptFailure> {
        let names = WireNames::new(&request.tools);
        let answer = self.endpoint.post(&encode::body(request, &names, &self.wire)).await?;
        decode::response(answer, request, &names)
    }
}
