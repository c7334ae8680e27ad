//! No paid answer is bought twice, and what a crash may have cost is counted.

use palaestra_domain::{NanoUsd, TokenUsage};
use palaestra_models::{Ledger, Message, ModelClient, ModelRequest, Role};
use palaestra_store::CallKey;

use crate::support::{ROLE, Reply, Server, client, completion, request, settings, store};

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
    let (first, model) = client(&store, &settings, Default::default()).await;
    let answers = work(&first, &request(&model)).await;
    assert_eq!(answers, ["answer 0", "answer 1"]);
    let bought = first.ledger().await.unwrap();

    let (second, _) = client(&store, &settings, Default::default()).await;
    assert_eq!(work(&second, &request(&model)).await, answers);
    assert_eq!(server.seen().len(), 2, "the second execution asked nobody");

    let mut ledger = second.ledger().await.unwrap();
    assert_eq!((ledger.replays.calls, ledger.replays.saved), (2, bought.spent()));
    ledger.replays = bought.replays;
    assert_eq!(ledger, bought, "replays change nothing that was bought");
}

#[tokio::test]
async fn the_ledger_adds_up_by_role_and_model() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let store = store();
    let (client, model) = client(&store, &settings("openai", &server.url), Default::default()).await;
    work(&client, &request(&model)).await;
    client.scope("execution/2").ask(CURATOR, &request(&model)).await.unwrap();

    let ledger = Ledger::read(store, "run/test/").await.unwrap();
    assert_eq!(ledger, client.ledger().await.unwrap());
    let rows: Vec<_> = ledger.lines.iter().map(|line| (line.role.as_str(), line.calls, line.cost)).collect();
    // 20 tokens in at 2500 and 5 out at 10000 nano-dollars.
    assert_eq!(rows, [("curator", 2, NanoUsd(200_000)), ("reflector", 1, NanoUsd(100_000))]);
    assert_eq!(ledger.lines[0].usage, TokenUsage { input: 40, output: 10, ..TokenUsage::default() });
    assert_eq!((ledger.spent(), ledger.may_have_billed, ledger.divergences), (client.spent(), 0, 0));
}

#[tokio::test]
async fn another_request_at_the_same_place_is_a_divergence_and_goes_live() {
    let server = Server::script(|n, _| Reply::ok(&completion(&format!("answer {n}")))).await;
    let (store, settings) = (store(), settings("openai", &server.url));
    let (client, model) = client(&store, &settings, Default::default()).await;
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let mut other = request(&model);
    other.system.push_str(" Very.");
    let live = client.scope("s").ask(ROLE, &other).await.unwrap();
    assert_eq!(live.text, "answer 1");
    let again = client.scope("s").ask(ROLE, &other).await.unwrap();
    assert_eq!(again.text, "answer 1", "the diverged answer is kept too");
    let ledger = client.ledger().await.unwrap();
    assert_eq!((ledger.divergences, server.seen().len()), (1, 2));
}

#[tokio::test]
async fn the_intent_is_durable_before_the_wire_and_a_crash_may_have_billed() {
    let server = Server::script(|n, _| if n == 0 { Reply::Hang } else { Reply::ok(&completion("x")) }).await;
    let (store, settings) = (store(), settings("openai", &server.url));
    let (first, model) = client(&store, &settings, Default::default()).await;
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
    let reserved = first.spent().tokens;
    assert!(reserved > 50, "a call that was cut off costs its reservation");

    let (second, _) = client(&store, &settings, Default::default()).await;
    assert_eq!(second.ledger().await.unwrap().may_have_billed, 1);
    second.scope("s").ask(ROLE, &request).await.unwrap();
    let ledger = second.ledger().await.unwrap();
    assert_eq!((ledger.may_have_billed, ledger.lost.tokens), (1, reserved));
    assert_eq!(second.spent().tokens, reserved + 25);

    let (third, _) = client(&store, &settings, Default::default()).await;
    assert_eq!(third.spent(), second.spent(), "what was lost stays counted");
}

#[tokio::test]
async fn an_attempt_that_may_have_billed_is_counted_with_its_call() {
    let server = Server::replies(vec![Reply::raw(200, "{"), Reply::ok(&completion("x"))]).await;
    let store = store();
    let (client, model) = client(&store, &settings("openai", &server.url), Default::default()).await;
    client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let ledger = client.ledger().await.unwrap();
    assert_eq!(ledger.may_have_billed, 1);
    assert!(ledger.lost.tokens > 0);
    assert_eq!(client.spent(), ledger.spent().plus(ledger.lost));
}
