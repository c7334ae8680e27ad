//! The provider: encode, post, decode.

use std::sync::Arc;

use async_trait::async_trait;
use palaestra_runtime::{Clock, ErrorClass};
use reqwest::header::{HeaderName, HeaderValue};

use super::{decode, encode};
use crate::error::Error;
use crate::failure::AttemptFailure;
use crate::http::Endpoint;
use crate::providers::Provider;
use crate::providers::wire_names::WireNames;
use crate::request::{ModelRequest, Output};
use crate::response::ModelResponse;
use crate::secrets::ApiKey;
use crate::settings::{ModelSettings, WireOptions};

/// The protocol version that this program speaks.
const VERSION: &str = "2023-06-01";

/// The messages protocol.
#[derive(Debug)]
pub(in crate::providers) struct AnthropicProvider {
    endpoint: Endpoint,
    wire: WireOptions,
}

impl AnthropicProvider {
    pub(in crate::providers) fn build(
        settings: &ModelSettings,
        base_url: &str,
        key: Option<ApiKey>,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<dyn Provider>, Error> {
        let key_header = (HeaderName::from_static("x-api-key"), "");
        let endpoint = Endpoint::new(settings, format!("{base_url}/messages"), key, key_header, clock)?
            .with_header(HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION));
        Ok(Arc::new(Self { endpoint, wire: settings.wire }))
    }
}

#[async_trait]
impl Provider for AnthropicProvider {
    async fn attempt(&self, request: &ModelRequest) -> Result<ModelResponse, AttemptFailure> {
        if matches!(request.output, Output::JsonSchema { .. }) && !request.tools.is_empty() {
            let message =
                "this protocol cannot give tools and ask for a structured answer at once; ask in two calls";
            return Err(AttemptFailure::new(ErrorClass::Rejected, message));
        }
        let names = WireNames::new(&request.tools);
        let answer = self.endpoint.post(&encode::body(request, &names, &self.wire)).await?;
        decode::response(answer, request, &names)
    }
}
