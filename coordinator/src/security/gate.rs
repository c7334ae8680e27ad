//! The one gate in front of every method, health and reflection included: pace first, then the token.
//! What is refused, here or behind it, is counted.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::{BoxFuture, FutureExt as _};
use http::{Request, Response};
use palaestra_proto::{Problem, Reason};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};

use super::connection::Peer;
use super::rights::{Right, Rights};
use super::tokens::Tokens;
use crate::metrics::Metrics;

/// The layer.
#[derive(Clone)]
pub(crate) struct Gate {
    tokens: Arc<Tokens>,
    metrics: Metrics,
}

impl Gate {
    /// A gate that lets callers with one of these tokens through; without tokens, everybody.
    pub(crate) fn new(tokens: Tokens, metrics: Metrics) -> Self {
        Self { tokens: Arc::new(tokens), metrics }
    }

    /// Why a call is not let through.
    fn refuse(&self, call: &Request<Body>) -> Option<Problem> {
        let peer = call.extensions().get::<Peer>();
        if peer.is_some_and(|peer| !peer.within_pace()) {
            return Some(Problem::new(Reason::TooMany, "too many calls on this connection; slow down"));
        }
        if !self.tokens.rights(call.headers()).any_of(needed(call.uri().path())) {
            if let Some(peer) = peer {
                tracing::debug!(peer.address = %peer.address(), "a call without a valid token");
            }
            return Some(Problem::new(Reason::Unauthenticated, "no valid token"));
        }
        if let Some(peer) = peer {
            peer.welcome();
        }
        None
    }
}

/// Which rights open a method: any of these. What is not ours (health, reflection, and whatever does
/// not exist) is open to everybody with a right.
fn needed(path: &str) -> Rights {
    match path.trim_start_matches('/').split('/').next().unwrap_or_default() {
        "palaestra.v1alpha1.WorkerService" => Right::Worker.into(),
        "palaestra.v1alpha1.RunService" => Right::Client.into(),
        "palaestra.v1alpha1.BlobService" => Rights::from(Right::Worker).with(Right::Client),
        _ => Rights::all(),
    }
}

impl<S> Layer<S> for Gate {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated { gate: self.clone(), inner }
    }
}

/// A service behind the gate.
#[derive(Clone)]
pub(crate) struct Gated<S> {
    gate: Gate,
    inner: S,
}

impl<S> Service<Request<Body>> for Gated<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<Body>, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Request<Body>) -> Self::Future {
        let metrics = self.gate.metrics.clone();
        if let Some(problem) = self.gate.refuse(&call) {
            metrics.refused(problem.reason);
            return std::future::ready(Ok(Status::from(problem).into_http())).boxed();
        }
        let answering = self.inner.call(call);
        async move {
            let answer = answering.await?;
            // A refusal is an answer without a body: its status stands in the headers.
            if let Some(status) = Status::from_header_map(answer.headers()).filter(|s| s.code() != Code::Ok) {
                metrics.refused(Problem::from(&status).reason);
            }
            Ok(answer)
        }
        .boxed()
    }
}
