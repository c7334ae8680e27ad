//! `/metrics`, `/healthz`, `/readyz`, on a listener of their own.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::map_request;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use palaestra_runtime::CancellationToken;
use tokio::net::TcpListener;
use tonic::transport::Server;

use super::readiness::Readiness;
use crate::error::Error;
use crate::metrics::Metrics;
use crate::security::{Limits, Peer, Right, Security, Tokens, incoming};

/// The text format of Prometheus.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

#[derive(Clone)]
struct Probes {
    readiness: Readiness,
    metrics: Metrics,
    tokens: Arc<Tokens>,
}

/// Serves metrics and health until `stop`. Metrics need the token for metrics where tokens are
/// configured; whether the process lives and is ready is told to everybody. Client certificates are
/// not asked for.
///
/// # Errors
/// [`Error::Insecure`] when the listener may not be on its address, [`Error::Serve`] when it fails.
pub async fn serve_http(
    listener: TcpListener,
    security: &Security,
    limits: Limits,
    readiness: Readiness,
    metrics: Metrics,
    stop: CancellationToken,
) -> Result<(), Error> {
    let address = listener.local_addr().map_err(|source| Error::serve("find the address", source))?;
    security.check_http(address)?;
    let probes = Probes { readiness, metrics, tokens: Arc::new(security.tokens.clone()) };
    let routes = Router::new()
        .route("/metrics", get(metrics_text))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .layer(map_request(welcome))
        .with_state(probes);
    let mut server = Server::builder()
        .accept_http1(true)
        .max_concurrent_streams(limits.streams_per_connection)
        .http2_max_header_list_size(limits.header_bytes)
        .http2_keepalive_interval(Some(limits.keep_alive))
        .http2_keepalive_timeout(Some(limits.keep_alive));
    if let Some(tls) = &security.tls {
        let config = tls.one_sided().config(limits.handshake);
        server = server.tls_config(config).map_err(|source| Error::Tls { source })?;
    }
    let ended = stop.clone();
    let serving =
        server.serve_with_incoming_shutdown(routes, incoming(listener, limits), stop.cancelled_owned());
    tokio::select! {
        served = serving => served.map_err(|source| Error::serve("serve metrics and health", source)),
        () = async { ended.cancelled().await; tokio::time::sleep(limits.closing).await } => Ok(()),
    }
}

/// A connection that asks something may stay.
async fn welcome(request: Request) -> Request {
    if let Some(peer) = request.extensions().get::<Peer>() {
        peer.welcome();
    }
    request
}

async fn metrics_text(State(probes): State<Probes>, headers: HeaderMap) -> Response {
    if !probes.tokens.rights(&headers).any_of(Right::Metrics.into()) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let serving = probes.readiness.serving();
    let core = serving.as_ref().map(|serve| (serve.core(), serve.streams()));
    match probes.metrics.scrape(core).await {
        Ok(text) => ([(header::CONTENT_TYPE, TEXT_FORMAT)], text).into_response(),
        Err(error) => {
            tracing::warn!(%error, "a scrape failed");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

async fn ready(State(probes): State<Probes>) -> Response {
    match probes.readiness.probe().await {
        Ok(()) => "ok".into_response(),
        Err(word) => (StatusCode::SERVICE_UNAVAILABLE, word).into_response(),
    }
}
