//! Metrics, liveness and readiness over plain HTTP.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use palaestra_coordinator::{Right, Security};
use palaestra_proto::v1::ListRunsRequest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::house::{House, LEASE, token, tokens};
use crate::journal;
use crate::worker::{Worker, inline};

/// The status and the body of an answer.
async fn get(address: SocketAddr, path: &str, bearer: Option<&str>) -> (u16, String) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let token = bearer.map(|bearer| format!("Authorization: Bearer {bearer}\r\n")).unwrap_or_default();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{token}Connection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// The value of a series.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find(|line| line.strip_prefix(series).is_some_and(|rest| rest.starts_with(' ')));
    line.unwrap_or_else(|| panic!("{series} is not in:\n{text}")).rsplit(' ').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_process_lives_whatever_it_does_and_is_ready_only_while_it_leads() {
    let house = House::new().await;
    let address = house.listen_http(Security::default()).await;
    assert_eq!(get(address, "/readyz", None).await, (200, "ok".to_owned()));
    house.readiness.stands_by();
    assert_eq!(get(address, "/readyz", None).await, (503, "standby".to_owned()));
    house.readiness.leads(&house.serve);
    house.leading.stop();
    house.leading.await.unwrap();
    assert_eq!(
        get(address, "/readyz", None).await,
        (503, "stopping".to_owned()),
        "the machine does not answer"
    );
    house.readiness.stops();
    assert_eq!(get(address, "/readyz", None).await.0, 503);
    assert_eq!(get(address, "/healthz", None).await, (200, "ok".to_owned()));
    for path in ["/", "/metrics/", "/debug", "/healthz/x"] {
        assert_eq!(get(address, path, None).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn metrics_need_their_own_token_and_health_none() {
    let house = House::new().await;
    let address = house.listen_http(Security { tokens: tokens(&Right::ALL), tls: None }).await;
    let (worker, client) = (token(Right::Worker), token(Right::Client));
    for bearer in [None, Some("wrong-token-0123456"), Some(worker.as_str()), Some(client.as_str())] {
        assert_eq!(get(address, "/metrics", bearer).await, (401, String::new()), "{bearer:?}");
    }
    assert_eq!(get(address, "/metrics", Some(&token(Right::Metrics))).await.0, 200);
    assert_eq!(get(address, "/readyz", None).await.0, 200);
}

#[tokio::test]
async fn the_documented_metrics_are_those_that_there_are() {
    let house = House::new().await;
    let address = house.listen_http(Security::default()).await;
    let (_, text) = get(address, "/metrics", None).await;
    let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let names: BTreeSet<&str> = names.collect();
    let documented = include_str!("../../../docs/metrics.md");
    let documented: BTreeSet<&str> =
        documented.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(names, documented);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok() && series.starts_with("palaestra_"), "{line}");
    }
}

#[tokio::test]
async fn what_happens_is_counted() {
    let house = House::new().await;
    let address = house.listen_http(Security::default()).await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(2).await;
    let mut grants = worker.granted().await;
    let (late, grant) = (grants.remove(1), grants.remove(0));
    journal::buy(&house, &grant.lease, inline(&journal::record(1))).await;
    let number = worker.done(&grant, inline(b"result")).await;
    assert_eq!(worker.verdict(number).await, None);
    house.clock.advance(LEASE * 2);
    worker.hear().await;
    let number = worker.done(&late, inline(b"late")).await;
    assert_eq!(worker.verdict(number).await.as_deref(), Some("STALE_LEASE"));
    house.runs().list_runs(ListRunsRequest::default()).await.unwrap();

    // News reach the counters on their own way: the last of them is waited for.
    let text = loop {
        let (_, text) = get(address, "/metrics", None).await;
        if value(&text, "palaestra_stale_messages_total") >= 1.0 {
            break text;
        }
    };
    for (series, expected) in [
        ("palaestra_units{class=\"batch\",state=\"committed\"}", 1.0),
        ("palaestra_units{class=\"interactive\",state=\"waiting\"}", 0.0),
        ("palaestra_runs{class=\"batch\",state=\"active\"}", 1.0),
        ("palaestra_attempts_total{class=\"batch\",outcome=\"passed\"}", 2.0),
        ("palaestra_leases_granted_total", 2.0),
        ("palaestra_leases_expired_total", 1.0),
        ("palaestra_unit_retries_total{reason=\"preemption\"}", 1.0),
        ("palaestra_refusals_total{reason=\"STALE_LEASE\"}", 1.0),
        ("palaestra_model_calls_total{model=\"other\",outcome=\"stop\",role=\"agent\"}", 1.0),
        ("palaestra_model_tokens_total{kind=\"input\",model=\"other\",role=\"agent\"}", 30.0),
        ("palaestra_model_cost_usd_total{model=\"other\",role=\"agent\"}", 2.0),
        ("palaestra_model_retries_total{model=\"other\",reason=\"rate_limited\"}", 2.0),
        ("palaestra_model_retries_total{model=\"other\",reason=\"other\"}", 1.0),
        ("palaestra_limiter_wait_seconds_total{model=\"other\"}", 1.5),
        ("palaestra_budget_spent_tokens_total{class=\"batch\"}", 42.0),
        ("palaestra_journal_append_seconds_count", 2.0),
        ("palaestra_leads", 1.0),
    ] {
        assert!((value(&text, series) - expected).abs() < 1e-9, "{series} is not {expected} in:\n{text}");
    }
    assert!(
        !text.contains("small") && !text.contains("unheard-of"),
        "names of runs and strangers are no labels"
    );
}
