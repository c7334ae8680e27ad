//! `palaestra coordinator`: hands out units, keeps the journal, curates the banks.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use palaestra_coordinator::{Error, Limits, Metrics, Readiness, Right, Security, Tls, Tokens, serve_http};
use palaestra_runtime::{CancellationToken, Exit, shutdown, tasks};
use tokio::net::TcpListener;

use crate::args::CoordinatorArgs;
use crate::cluster::lead::lead;
use crate::state::{self, Place};

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
    // Both addresses are checked before the store is opened: a slip must leave nothing behind.
    security.check(request.listen)?;
    security.check_http(request.http)?;
    warn_of_missing_tokens(&security.tokens);
    // Whoever stands by does not listen, so that callers go on to the coordinator that leads.
    drop(bind(request.listen).await?);
    let http = bind(request.http).await?;
    let (readiness, metrics) = (Readiness::default(), Metrics::new()?);
    let ended = CancellationToken::new();
    let _ends_with_us = ended.clone().drop_guard();
    let operators = {
        let (security, readiness, metrics) = (security.clone(), readiness.clone(), metrics.clone());
        async move { serve_http(http, &security, Limits::default(), readiness, metrics, ended).await }
    };
    let mut operators = tasks::spawn("http", operators);
    readiness.stands_by();
    let place = Place::named(&request.store);
    let held = tokio::select! {
        held = place.wait_for_writing(Duration::from_secs(request.takeover_seconds)) => held?,
        () = stop.cancelled() => return Ok(()),
        over = &mut operators => return no_operators(over),
    };
    let lease = Duration::from_secs(request.lease_seconds);
    let mut led = lead(held.store.clone(), lease, None, metrics, stop.clone()).await?;
    let serve = led.serve.clone();
    let work = async {
        let listener = bind(request.listen).await?;
        readiness.leads(&serve);
        tracing::info!(listen = %request.listen, http = %request.http, "the coordinator leads");
        tokio::select! {
            served = serve.listen(listener, security) => Ok(served?),
            over = &mut operators => no_operators(over),
        }
    };
    let served = led.until_over(work).await;
    readiness.stops();
    let stopped = led.stop().await;
    held.release().await;
    served.and(stopped)
}

async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// Nobody can see how the coordinator is any more, so it ends and is started again.
fn no_operators(over: Result<Result<(), Error>, tokio::task::JoinError>) -> Result<()> {
    over.context("metrics and health are not served any more")??;
    bail!("metrics and health are not served any more")
}

/// Rights without a token beside rights with one: nobody has them, which is rarely meant.
fn warn_of_missing_tokens(tokens: &Tokens) {
    for right in [Right::Worker, Right::Client, Right::Metrics] {
        if !tokens.is_empty() && !tokens.give(right) {
            tracing::warn!(?right, "other rights have a token and this one has none, so nobody has it");
        }
    }
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
