//! From an HTTP request to its answer, and what is counted on the way.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures::stream::{self, StreamExt as _};
use palaestra_domain::Digest;
use serde_json::{Value, json};

use crate::book::{Book, Stats};
use crate::chat::ChatRequest;
use crate::constructor;
use crate::error::Error;
use crate::options::Options;
use crate::reply::{Bill, Reply, completion};
use crate::scripted::Cast;
use crate::tau2::{MODELS, Troupe};

/// Fields of a request that do not change its answer.
const VOLATILE: [&str; 3] = ["metadata", "prompt_cache_key", "user"];

/// Everything that requests share.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) book: Book,
    cast: Cast,
    troupe: Option<Troupe>,
    options: Options,
    requests: AtomicU64,
}

impl Service {
    pub(crate) fn new(options: Options) -> Result<Self, Error> {
        let cast = Cast::new(options.instances, options.seed)?;
        let troupe = options.tau2_data.as_deref().map(Troupe::new).transpose()?;
        Ok(Self { book: Book::default(), cast, troupe, options, requests: AtomicU64::new(0) })
    }

    fn may_enter(&self, headers: &HeaderMap) -> bool {
        let given = || headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ");
        self.options.require_key.as_deref().is_none_or(|key| given() == Some(key))
    }

    fn fails_now(&self) -> bool {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        self.options.fail_every.is_some_and(|every| number % every == 0)
    }

    async fn answer(&self, request: &ChatRequest) -> Result<Reply, Error> {
        if request.model == constructor::MODEL {
            return Ok(Reply::Words(constructor::answer(request)?.to_string()));
        }
        match &self.troupe {
            Some(troupe) if MODELS.contains(&request.model.as_str()) => troupe.answer(request),
            _ => self.cast.answer(request).await,
        }
    }
}

/// The paths of the service.
pub(crate) fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/stats", get(stats))
        .fallback(async || refused(StatusCode::NOT_FOUND, "there is nothing under this path"))
        .layer(DefaultBodyLimit::disable())
        .with_state(service)
}

async fn stats(State(service): State<Arc<Service>>) -> Json<Stats> {
    Json(service.book.stats())
}

async fn complete(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    if !service.may_enter(&headers) {
        return refused(StatusCode::UNAUTHORIZED, "the bearer key is missing or wrong");
    }
    if service.fails_now() {
        service.book.failed();
        return refused(StatusCode::SERVICE_UNAVAILABLE, "failing on purpose; try again");
    }
    match sell(service, &body).await {
        Ok(response) => response,
        Err(error) => refused(StatusCode::BAD_REQUEST, &words(&error)),
    }
}

/// Answers a request that can be answered. It is counted before the delay, and billed after its last
/// byte: whoever hangs up meanwhile has not bought it.
async fn sell(service: Arc<Service>, body: &[u8]) -> Result<Response, Error> {
    let mut value: Value = serde_json::from_slice(body)?;
    let request = ChatRequest::read(&value)?;
    let reply = service.answer(&request).await?;
    if let Value::Object(fields) = &mut value {
        VOLATILE.iter().for_each(|name| drop(fields.remove(*name)));
    }
    let digest = Digest::of_value("request", &value)?.to_string();
    let bill = Bill::of(body.len(), &reply);
    let answer = completion(digest.get(..12).unwrap_or(&digest), &request.model, &reply, bill).to_string();
    service.book.started(&digest, &request.model);
    tokio::time::sleep(Duration::from_millis(service.options.delay_ms)).await;
    let mut owed = Some((service, digest));
    let paid = stream::poll_fn(move |_| {
        if let Some((service, digest)) = owed.take() {
            service.book.answered(&digest, bill);
        }
        Poll::Ready(None)
    });
    // Without a length, so that the connection asks for more after the last byte.
    let whole = stream::iter([Ok::<_, Infallible>(Bytes::from(answer))]).chain(paid);
    Ok(([(CONTENT_TYPE, "application/json")], Body::from_stream(whole)).into_response())
}

fn refused(status: StatusCode, message: &str) -> Response {
    let error = json!({ "message": message, "type": "model_server_error", "code": status.as_u16() });
    (status, Json(json!({ "error": error }))).into_response()
}

fn words(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
