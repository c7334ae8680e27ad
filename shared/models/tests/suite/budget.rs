//! Nothing is sent that the budget cannot hold.

use std::sync::{Arc, Mutex};

use futures::future::join_all;
use palaestra_domain::{BudgetLimits, NanoUsd, Spend};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{Error, Price};
use palaestra_runtime::Exit;

use crate::support::{
    ROLE, Reply, Server, account, builder, client_of, completion, ledger, request, settings, store,
};

/// One call holds about 90 tokens and uses 25: a few fit, one after another.
const LIMITS: BudgetLimits = BudgetLimits { usd: None, tokens: Some(140) };

#[tokio::test]
async fn a_call_that_does_not_fit_never_reaches_the_wire_nor_the_journal() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let store = store();
    for limits in [
        BudgetLimits { usd: None, tokens: Some(60) },
        BudgetLimits { usd: Some(NanoUsd(500_000)), tokens: None },
    ] {
        let account = LocalAccount::new(Arc::clone(&store), limits);
        let (client, model) = client_of(&account, &settings("openai", &server.url));
        let error = client.scope("s").ask(ROLE, &request(&model)).await.unwrap_err();
        assert!(matches!(error, Error::BudgetExhausted { .. }), "{error}");
        assert_eq!(error.exit(), Exit::BudgetExhausted);
        assert_eq!((account.spent(), account.held()), Default::default());
    }
    assert!(server.seen().is_empty());
    assert!(store.journal_read("").await.unwrap().is_empty());
}

#[tokio::test]
async fn the_budget_holds_across_clients_and_replays_are_free() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let account = LocalAccount::new(store(), LIMITS);
    let mut fitted = 0;
    for process in 0..6 {
        let (client, model) = client_of(&account, &settings("openai", &server.url));
        for earlier in 0..fitted {
            client.scope(&format!("s{earlier}")).ask(ROLE, &request(&model)).await.unwrap();
        }
        match client.scope(&format!("s{process}")).ask(ROLE, &request(&model)).await {
            Ok(_) => fitted += 1,
            Err(error) => assert!(matches!(error, Error::BudgetExhausted { .. }), "{error}"),
        }
        assert!(account.spent().tokens <= 140);
    }
    assert_eq!(server.seen().len(), fitted);
    assert!((2..=4).contains(&fitted), "{fitted} calls fitted");
}

#[tokio::test]
async fn calls_at_the_same_time_wait_for_each_other_and_never_overcommit() {
    let account = LocalAccount::new(store(), LIMITS);
    let (committed, watched) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&account));
    let seen = Arc::clone(&committed);
    let server = Server::script(move |_, _| {
        seen.lock().unwrap().push((watched.held().tokens, watched.spent().tokens));
        Reply::ok(&completion("x"))
    })
    .await;
    let (client, model) = client_of(&account, &settings("openai", &server.url));
    let calls = (0..8).map(|n| {
        let (mut scope, request) = (client.scope(&format!("s{n}")), request(&model));
        async move { scope.ask(ROLE, &request).await }
    });
    let answers = join_all(calls).await;
    let committed = committed.lock().unwrap().clone();
    let most = committed[0].0;
    assert!((71..=140).contains(&most), "two at once would not fit: {most}");
    for (index, (held, spent)) in committed.iter().enumerate() {
        assert_eq!((*held, *spent), (most, 25 * index as u64), "one at a time, after the one before");
    }
    let fitted = answers.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(fitted, committed.len());
    assert!(fitted > 1 && fitted < 8);
    for refused in answers.into_iter().filter_map(Result::err) {
        assert!(matches!(refused, Error::BudgetExhausted { .. }), "{refused}");
    }
    let spent = Spend { tokens: 25 * fitted as u64, ..account.spent() };
    assert_eq!((account.spent(), account.held()), (spent, Spend::default()));
}

#[tokio::test]
async fn attempts_that_may_have_been_billed_use_the_budget_up() {
    let server = Server::replies(vec![Reply::raw(200, "{")]).await;
    let account = LocalAccount::new(store(), LIMITS);
    let (client, model) = client_of(&account, &settings("openai", &server.url));
    let error = client.scope("s").ask(ROLE, &request(&model)).await.unwrap_err();
    assert!(matches!(error, Error::BudgetExhausted { .. }), "the second attempt does not fit: {error}");
    assert_eq!(server.seen().len(), 1);
    assert!(account.spent().tokens > 70);
    assert_eq!(account.held(), Spend::default());
}

#[tokio::test]
async fn a_dollar_budget_refuses_a_model_without_a_price() {
    let mut unpriced = settings("openai", "http://127.0.0.1:9/v1");
    unpriced.model = "local-model".into();
    let error = builder(true).model(&unpriced).unwrap_err();
    assert!(matches!(error, Error::Unpriced { .. }), "{error}");
    builder(false).model(&unpriced).unwrap();
    unpriced.price = Some(Price { input: 0, cached_input: 0, cache_write: 0, output: 0 });
    builder(true).model(&unpriced).unwrap();
}

#[tokio::test]
async fn without_a_price_the_ledger_says_so_instead_of_zero() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let mut unpriced = settings("openai", &server.url);
    unpriced.model = "local-model".into();
    let store = store();
    let (client, model) = client_of(&account(&store), &unpriced);
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let ledger = ledger(&store).await;
    assert_eq!((ledger.lines[0].calls, ledger.lines[0].unpriced_calls), (1, 1));
}
