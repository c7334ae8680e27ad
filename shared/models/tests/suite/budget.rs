//! The budget refuses before anything is spent.

use palaestra_domain::NanoUsd;
use palaestra_models::{BudgetLimits, Error, Price};
use palaestra_runtime::Exit;

use crate::support::{ROLE, Reply, Server, builder, client, completion, request, settings, store};

#[tokio::test]
async fn a_call_that_does_not_fit_never_reaches_the_wire_nor_the_journal() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let store = store();
    for limits in [
        BudgetLimits { usd: None, tokens: Some(60) },
        BudgetLimits { usd: Some(NanoUsd(500_000)), tokens: None },
    ] {
        let (client, model) = client(&store, &settings("openai", &server.url), limits).await;
        let error = client.scope("s").ask(ROLE, &request(&model)).await.unwrap_err();
        assert!(matches!(error, Error::BudgetExhausted { .. }), "{error}");
        assert_eq!(error.exit(), Exit::BudgetExhausted);
        assert_eq!(client.ledger().await.unwrap().may_have_billed, 0);
    }
    assert!(server.seen().is_empty());
    assert!(store.journal_read("").await.unwrap().is_empty());
}

#[tokio::test]
async fn the_budget_holds_across_processes_and_replays_are_free() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let (store, settings) = (store(), settings("openai", &server.url));
    // One call reserves about 90 tokens and uses 25: three fit, one after another.
    let limits = BudgetLimits { usd: None, tokens: Some(140) };
    let mut fitted = 0;
    for process in 0..6 {
        let (client, model) = client(&store, &settings, limits).await;
        for earlier in 0..fitted {
            client.scope(&format!("s{earlier}")).ask(ROLE, &request(&model)).await.unwrap();
        }
        match client.scope(&format!("s{process}")).ask(ROLE, &request(&model)).await {
            Ok(_) => fitted += 1,
            Err(error) => assert!(matches!(error, Error::BudgetExhausted { .. }), "{error}"),
        }
        assert!(client.spent().tokens <= 140);
    }
    assert_eq!(server.seen().len(), fitted);
    assert!((2..=4).contains(&fitted), "{fitted} calls fitted");
}

#[tokio::test]
async fn a_dollar_budget_refuses_a_model_without_a_price() {
    let store = store();
    let limits = BudgetLimits { usd: Some(NanoUsd::default()), tokens: None };
    let mut unpriced = settings("openai", "http://127.0.0.1:9/v1");
    unpriced.model = "local-model".into();
    let error = builder(&store, limits).model(&unpriced).unwrap_err();
    assert!(matches!(error, Error::Unpriced { .. }), "{error}");
    unpriced.price = Some(Price { input: 0, cached_input: 0, cache_write: 0, output: 0 });
    builder(&store, limits).model(&unpriced).unwrap();
}

#[tokio::test]
async fn without_a_price_the_ledger_says_so_instead_of_zero() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let mut unpriced = settings("openai", &server.url);
    unpriced.model = "local-model".into();
    let (client, model) = client(&store(), &unpriced, Default::default()).await;
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let ledger = client.ledger().await.unwrap();
    assert_eq!((ledger.lines[0].calls, ledger.lines[0].unpriced_calls), (1, 1));
}
