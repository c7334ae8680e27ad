//! No paid answer is bought twice, and what a crash may have cost is counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_domain::{NanoUsd, Spend, TokenUsage};
use palaestra_models::{CallFacts, Error, Message, ModelClient, ModelRequest, Role};
use palaestra_store::faulty::{FaultyStore, Moment};
use palaestra_store::{CallKey, Store};

use crate::support::{ROLE, Reply, Server, account, client_of, completion, ledger, request, settings, store};

const CURATOR: Role = Role::new("curator");

/// Two calls of one piece of work; the second depends on the first answer.
async fn work(client: &ModelClient, first: &ModelRequest) -> Vec<String> {
    let mut scope = client.scope("execution/1");
    let one = scope.ask(ROLE, first).await.unwrap();
    let mut second = first.clone();
    second.messages.push(Message::assistant(one.text.clone()));
    let two = scope.ask(CURATOR, &second).await.unwrap();
    vec![one.text, two.text]
}

#[tokio::test]
async fn a_second_execution_buys_nothing() {
    let server = Server::script(|n, _| Reply::ok(&completion(&format!("answer {n}")))).await;
    let (store, settings) = (store(), settings("openai", &server.url));
    let account = account(&store);
    let (first, model) = client_of(&account, &settings);
    let answers = work(&first, &request(&model)).await;
    assert_eq!(answers, ["answer 0", "answer 1"]);
    let bought = ledger(&store).await;

    let (second, _) = client_of(&account, &settings);
    assert_eq!(work(&second, &request(&model)).await, answers);
    assert_eq!(server.seen().len(), 2, "the second execution asked nobody");
    assert_eq!((second.replays().calls, second.replays().saved), (2, bought.spent()));
    assert_eq!(first.replays().calls, 0);
    assert_eq!(ledger(&store).await, bought, "replays change nothing that was bought");
    assert_eq!((account.spent(), account.held()), (bought.spent(), Spend::default()));
}

#[tokio::test]
async fn the_ledger_adds_up_by_role_and_model() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let store = store();
    let account = account(&store);
    let (client, model) = client_of(&account, &settings("openai", &server.url));
    work(&client, &request(&model)).await;
    client.scope("execution/2").ask(CURATOR, &request(&model)).await.unwrap();

    let ledger = ledger(&store).await;
    let rows: Vec<_> = ledger.lines.iter().map(|line| (line.role.as_str(), line.calls, line.cost)).collect();
    // 20 tokens in at 2500 and 5 out at 10000 nano-dollars.
    assert_eq!(rows, [("curator", 2, NanoUsd(200_000)), ("reflector", 1, NanoUsd(100_000))]);
    assert_eq!(ledger.lines[0].usage, TokenUsage { input: 40, output: 10, ..TokenUsage::default() });
    assert_eq!((ledger.spent(), ledger.may_have_billed, ledger.divergences), (account.spent(), 0, 0));
}

#[tokio::test]
async fn another_request_at_the_same_place_is_a_divergence_and_goes_live() {
    let server = Server::script(|n, _| Reply::ok(&completion(&format!("answer {n}")))).await;
    let (store, settings) = (store(), settings("openai", &server.url));
    let (client, model) = client_of(&account(&store), &settings);
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let mut other = request(&model);
    other.system.push_str(" Very.");
    let live = client.scope("s").ask(ROLE, &other).await.unwrap();
    assert_eq!(live.text, "answer 1");
    let again = client.scope("s").ask(ROLE, &other).await.unwrap();
    assert_eq!(again.text, "answer 1", "the diverged answer is kept too");
    assert_eq!((ledger(&store).await.divergences, server.seen().len()), (1, 2));
}

#[tokio::test]
async fn the_intent_is_durable_before_the_wire_and_a_crash_may_have_billed() {
    let server = Server::script(|n, _| if n == 0 { Reply::Hang } else { Reply::ok(&completion("x")) }).await;
    let (store, settings) = (store(), settings("openai", &server.url));
    let dead = account(&store);
    let (first, model) = client_of(&dead, &settings);
    let request = request(&model);
    {
        let mut scope = first.scope("s");
        let mut call = std::pin::pin!(scope.ask(ROLE, &request));
        tokio::select! {
            _ = &mut call => panic!("the service never answers"),
            () = server.has_seen(1) => {}
        }
        let key = CallKey { scope: "run/test/s".into(), ordinal: 0 };
        let entries = store.journal_get(&key).await.unwrap();
        assert_eq!((entries.len(), entries[0].attempts, entries[0].answer.is_none()), (1, 1, true));
        assert_eq!(entries[0].request, request.digest().unwrap());
    }
    let held = dead.held().tokens;
    assert!(held > 50, "a call that was cut off keeps its hold, for the account to count as lost");
    assert_eq!(ledger(&store).await.may_have_billed, 1);

    let alive = account(&store);
    let (second, _) = client_of(&alive, &settings);
    second.scope("s").ask(ROLE, &request).await.unwrap();
    let ledger = ledger(&store).await;
    assert_eq!((ledger.may_have_billed, ledger.lost.tokens), (1, held), "the record tells of it");
    assert_eq!(alive.spent().tokens, 25, "and charges nobody twice");
}

#[tokio::test]
async fn an_attempt_that_may_have_billed_is_counted_with_its_call() {
    let server = Server::replies(vec![Reply::raw(200, "{"), Reply::ok(&completion("x"))]).await;
    let store = store();
    let account = account(&store);
    let (client, model) = client_of(&account, &settings("openai", &server.url));
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let ledger = ledger(&store).await;
    assert_eq!(ledger.may_have_billed, 1);
    assert!(ledger.lost.tokens > 0);
    assert_eq!(account.spent(), ledger.spent().plus(ledger.lost));
}

#[tokio::test]
async fn a_call_that_was_surely_not_billed_leaves_nothing_behind() {
    for (status, body) in [(401, "who are you"), (429, "slow down"), (400, "no")] {
        let server = Server::replies(vec![Reply::raw(status, body)]).await;
        let store = store();
        let account = account(&store);
        let mut settings = settings("openai", &server.url);
        settings.retry.max_retries = 2;
        let (client, model) = client_of(&account, &settings);
        let mut scope = client.scope("s");
        let error = scope.ask(ROLE, &request(&model)).await.unwrap_err();
        assert!(matches!(error, Error::Call(_)), "{error}");
        assert!(store.journal_read("").await.unwrap().is_empty(), "{status}");
        assert_eq!((account.spent(), account.held()), Default::default(), "{status}");
    }
}

#[tokio::test]
async fn a_call_that_may_have_been_billed_stays_announced_and_spent() {
    let server = Server::replies(vec![Reply::raw(200, "{"), Reply::raw(429, "{}")]).await;
    let store = store();
    let account = account(&store);
    let mut settings = settings("openai", &server.url);
    settings.retry.max_retries = 1;
    let (client, model) = client_of(&account, &settings);
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap_err();
    assert_eq!(server.seen().len(), 2);
    assert_eq!(ledger(&store).await.may_have_billed, 1);
    assert!(account.spent().tokens > 50, "the first attempt's hold");
    assert_eq!(account.held(), Spend::default(), "the second attempt was free");
}

#[tokio::test]
async fn nothing_is_sent_unannounced_and_no_answer_is_used_before_it_is_durable() {
    for (write, moment, sent, bought) in [
        (1, Moment::Before, 0, 1),
        (1, Moment::After, 0, 1),
        (2, Moment::Before, 1, 2),
        (2, Moment::After, 1, 1),
    ] {
        let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
        let (inner, settings) = (store(), settings("openai", &server.url));
        let faulty: Arc<dyn Store> = Arc::new(FaultyStore::crashing(Arc::clone(&inner), write, moment));
        let dying = account(&faulty);
        let (client, model) = client_of(&dying, &settings);
        let error = client.scope("s").ask(ROLE, &request(&model)).await.unwrap_err();
        assert!(matches!(error, Error::Account { .. }), "{error}");
        assert_eq!(server.seen().len(), sent, "write {write}, {moment:?}");
        assert_eq!(dying.held().tokens > 0, sent > 0, "what was not sent holds nothing");

        let (client, _) = client_of(&account(&inner), &settings);
        client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
        assert_eq!(server.seen().len(), bought, "write {write}, {moment:?}");
    }
}

#[tokio::test]
async fn a_record_tells_what_the_call_was() {
    let server = Server::replies(vec![
        Reply::raw(429, "{}"),
        Reply::raw(200, "{"),
        Reply::raw(429, "{}"),
        Reply::ok(&completion("x")),
    ])
    .await;
    let store = store();
    let (client, model) = client_of(&account(&store), &settings("openai", &server.url));
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let record = store.journal_read("").await.unwrap().remove(0).answer.unwrap();
    let facts = CallFacts::of(&record).unwrap();
    assert_eq!((facts.role.as_str(), &facts.model, facts.finish), ("reflector", &model, "stop"));
    assert_eq!((facts.usage.total(), facts.cost), (25, Some(NanoUsd(100_000))));
    let retries = [("malformed", 1), ("rate_limited", 2)].map(|(class, n)| (class.to_owned(), n));
    assert_eq!(facts.retries, BTreeMap::from(retries));
    assert_eq!((facts.lost_attempts, facts.lost), (1, ledger(&store).await.lost));
    assert!(facts.waited_ms < 60_000);
    assert!(CallFacts::of(b"{}").unwrap_err().to_string().contains("version"));
}
