//! One service address with its key, its deadlines and its HTTP client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use palaestra_runtime::{Clock, ErrorClass};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::answer::{self, Decoded};
use super::{classify, retry_after};
use crate::error::Error;
use crate::failure::AttemptFailure;
use crate::secrets::ApiKey;
use crate::settings::ModelSettings;

/// Longer bodies are refused: no answer is that long, and memory is shared.
const MAX_BODY_BYTES: usize = 32 << 20;

/// Headers that carry a service's id of a request.
const REQUEST_ID_HEADERS: [&str; 3] = ["x-request-id", "request-id", "x-litellm-call-id"];

/// Where a provider posts its requests.
pub(crate) struct Endpoint {
    client: reqwest::Client,
    url: String,
    headers: HeaderMap,
    key: Option<ApiKey>,
    clock: Arc<dyn Clock>,
}

/// A body that came with a success status.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    /// The JSON body, redacted.
    pub body: Value,
    /// Some of it was no Unicode text and was replaced.
    pub decoded_lossily: bool,
    /// The service's id of the request.
    pub request_id: Option<String>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Prepares an address. `key_header` names the header of the key and what stands before it.
    pub(crate) fn new(
        settings: &ModelSettings,
        url: String,
        key: Option<ApiKey>,
        key_header: (HeaderName, &str),
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(value) = key.as_ref().and_then(|key| key.header(key_header.1)) {
            headers.insert(key_header.0, value);
        }
        let client = client(settings, &url)?;
        Ok(Self { client, url, headers, key, clock })
    }

    /// Adds a header without a secret.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Posts a JSON body and reads the answer's JSON body.
    pub(crate) async fn post(&self, body: &Value) -> Result<HttpAnswer, AttemptFailure> {
        let request = self.client.post(&self.url).headers(self.headers.clone()).json(body);
        let mut response = request.send().await.map_err(|error| self.transport(error, false))?;
        let status = response.status();
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.transport(error, true))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_BODY_BYTES {
                let message = format!("the body is longer than {} MiB", MAX_BODY_BYTES >> 20);
                return Err(AttemptFailure::new(ErrorClass::Malformed, message));
            }
        }
        let (text, lossy) = answer::text(bytes);
        let text = self.redact(text);
        if !status.is_success() {
            let mut failure = classify::failed_status(status.as_u16(), text);
            failure.retry_after = retry_after::floor(&headers, self.clock.now());
            return Err(failure);
        }
        let Decoded { body, replaced } = answer::json(&text)?;
        let request_id = REQUEST_ID_HEADERS
            .iter()
            .find_map(|name| headers.get(*name)?.to_str().ok())
            .map(|id| self.redact(id.to_owned()));
        Ok(HttpAnswer { body, decoded_lossily: lossy || replaced, request_id })
    }

    fn redact(&self, text: String) -> String {
        match &self.key {
            Some(key) => key.redact(text),
            None => text,
        }
    }

    fn transport(&self, error: reqwest::Error, answering: bool) -> AttemptFailure {
        let (class, what) = if error.is_connect() {
            (ErrorClass::Connect, "cannot connect")
        } else if error.is_timeout() {
            (ErrorClass::Timeout, "no whole answer within the deadline")
        } else if answering {
            (ErrorClass::Interrupted, "the answer broke off")
        } else {
            (ErrorClass::Interrupted, "the connection broke before an answer")
        };
        let mut failure = AttemptFailure::new(class, format!("{what} ({})", self.url));
        failure.source = Some(Box::new(error));
        failure
    }
}

fn client(settings: &ModelSettings, url: &str) -> Result<reqwest::Client, Error> {
    // An error only says that a provider is installed already, by us or by the embedding program.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(Duration::from_millis(settings.timeouts.connect_ms))
        .timeout(Duration::from_millis(settings.timeouts.total_ms))
        // A redirect would carry the key to an address that nobody configured.
        .redirect(reqwest::redirect::Policy::none())
        // Every attempt is ours to count.
        .retry(reqwest::retry::never());
    if url.starts_with("http://") {
        // Without TLS no root certificate is needed, and minimal containers have none.
        builder = builder.tls_certs_only([]);
    }
    if ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|local| url.starts_with(local)) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|source| Error::HttpClient { model: settings.model.clone(), source })
}
