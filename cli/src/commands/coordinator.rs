//! `palaestra coordinator`: hands out units, keeps the journal, curates the banks.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use palaestra_coordinator::{Limits, Metrics, Readiness, Right, Security, Tls, Tokens, serve_http};
use palaestra_runtime::{CancellationToken, Exit, shutdown, tasks};
use tokio::net::TcpListener;

use crate::args::CoordinatorArgs;
use crate::cluster::lead::lead;
use crate::state::{self, Place};

/// The store of a coordinator that names none.
const STORE: &str = ".palaestra/coordinator.sqlite";

/// Leads until a signal, or until another coordinator leads.
///
/// # Errors
/// When the settings are not safe or cannot be used, or the store fails.
pub fn coordinator(request: &CoordinatorArgs) -> Result<Exit> {
    let security = security(request)?;
    let runtime = state::runtime(None)?;
    let ended = runtime.block_on(async {
        let stop = shutdown::install()?;
        serve(request, &security, stop).await
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
    ended.map(|()| Exit::Success)
}

async fn serve(request: &CoordinatorArgs, security: &Security, stop: CancellationToken) -> Result<()> {
    let bind = |address| async move {
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
    };
    // Both addresses are checked and taken before the store is opened: a slip must leave nothing behind.
    security.check(request.listen)?;
    security.check_http(request.http)?;
    let (listener, http) = (bind(request.listen).await?, bind(request.http).await?);
    let (readiness, metrics, limits) = (Readiness::default(), Metrics::new()?, Limits::default());
    let ended = CancellationToken::new();
    let _ends_with_us = ended.clone().drop_guard();
    let operators = {
        let (security, readiness) = (security.clone(), readiness.clone());
        let (metrics, ended) = (metrics.clone(), ended.clone());
        async move { serve_http(http, &security, limits, readiness, metrics, ended).await }
    };
    tasks::spawn("http", async {
        if let Err(error) = operators.await {
            tracing::error!(%error, "metrics and health are not served any more");
        }
    });
    readiness.stands_by();
    let place = Place::named(request.store.store.as_deref().unwrap_or(STORE));
    let held = tokio::select! {
        held = place.wait_for_writing(Duration::from_secs(request.takeover_seconds)) => held?,
        () = stop.cancelled() => return Ok(()),
    };
    let lease = Duration::from_secs(request.lease_seconds);
    let mut led = lead(held.store.clone(), lease, metrics, stop.clone()).await?;
    readiness.leads(&led.serve);
    tracing::info!(listen = %request.listen, http = %request.http, "the coordinator leads");
    let serve = led.serve.clone();
    let served = led.until_over(serve.listen(listener, security)).await;
    readiness.stops();
    let stopped = led.stop().await;
    held.release().await;
    served.and(stopped)
}

fn security(request: &CoordinatorArgs) -> Result<Security> {
    let files = [
        (Right::Worker, &request.worker_token_file),
        (Right::Client, &request.client_token_file),
        (Right::Metrics, &request.metrics_token_file),
    ];
    let given: Vec<_> = files.into_iter().filter_map(|(right, path)| Some((right, path.clone()?))).collect();
    let tls = match (&request.tls_cert, &request.tls_key) {
        (Some(certificate), Some(key)) => {
            Some(Tls::read(certificate, key, request.tls_client_ca.as_deref().map(Path::new))?)
        }
        _ => None,
    };
    Ok(Security { tokens: Tokens::read(&given)?, tls })
}
