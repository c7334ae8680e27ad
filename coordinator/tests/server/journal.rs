//! The call journal over the wire: fenced by the lease, bounded to its run.

use palaestra_domain::Digest;
use palaestra_proto::v1::payload::At;
use palaestra_proto::v1::{
    AnswerRequest, CallKey, HoldRequest, IntendRequest, Lease, RecallRequest, ReserveRequest, RunRequest,
    Spend,
};
use palaestra_proto::{MOST_INLINE_BYTES, Problem, Reason};

use crate::house::{House, LEASE};
use crate::worker::{Worker, at, inline};

/// A record of an answered call, as a worker writes it, whose text is so long.
pub(crate) fn record(text: usize) -> Vec<u8> {
    let text = "x".repeat(text);
    serde_json::json!({
        "version": 2, "role": "agent", "cost": 2_000_000_000_u64, "lost_attempts": 1,
        "lost": { "usd": 5, "tokens": 5 }, "waited_ms": 1_500, "retries": { "rate_limited": 2, "odd": 1 },
        "model": { "provider": "openai", "base_url": "http://h/v1", "model": "unheard-of" },
        "response": {
            "text": text, "reasoning": null, "tool_calls": [], "finish": "stop", "usage_estimated": false,
            "usage": { "input": 30, "cached_input": 10, "cache_write": 0, "output": 12, "reasoning": 2 },
            "decoded_lossily": false, "answered_by": "m-1", "request_id": null
        }
    })
    .to_string()
    .into_bytes()
}

pub(crate) fn key(scope: &str) -> Option<CallKey> {
    Some(CallKey { scope: scope.to_owned(), ordinal: 0 })
}

fn spend(tokens: u64) -> Option<Spend> {
    Some(Spend { nano_usd: 0, tokens })
}

/// A worker with a unit of the run `small`.
async fn leased(house: &House) -> (Worker, Option<Lease>) {
    house.submit("small").await;
    let mut worker = Worker::register(house, "w", 1).await;
    worker.want(1).await;
    let lease = worker.granted().await.remove(0).lease;
    (worker, lease)
}

/// Buys one answer under the scope `run/small/unit`.
pub(crate) async fn buy(house: &House, lease: &Option<Lease>, payload: palaestra_proto::v1::Payload) {
    let mut journal = house.workers();
    let (lease, request) = (lease.clone(), Digest::of(b"request").as_bytes().to_vec());
    let reserve = ReserveRequest { lease: lease.clone(), hold: 1, most: spend(100) };
    journal.reserve(reserve).await.unwrap();
    let key = key("run/small/unit");
    journal
        .intend(IntendRequest { lease: lease.clone(), key: key.clone(), request: request.clone() })
        .await
        .unwrap();
    let answer = AnswerRequest { lease, key, request, record: Some(payload), hold: 1, used: spend(42) };
    journal.answer(answer.clone()).await.unwrap();
    // Its acknowledgement was lost.
    journal.answer(answer).await.unwrap();
}

fn recall(lease: Option<Lease>, words: &[u8]) -> RecallRequest {
    RecallRequest { lease, key: key("run/small/unit"), request: Digest::of(words).as_bytes().to_vec() }
}

#[tokio::test]
async fn an_answer_is_recalled_as_it_was_recorded_and_paid_once() {
    let house = House::new().await;
    let (_worker, lease) = leased(&house).await;
    buy(&house, &lease, inline(&record(10))).await;
    let recalled = house.workers().recall(recall(lease.clone(), b"request")).await.unwrap().into_inner();
    assert_eq!((recalled.open, recalled.diverges), (0, false));
    assert_eq!(recalled.answer, Some(inline(&record(10))));
    let recalled = house.workers().recall(recall(lease.clone(), b"another")).await.unwrap().into_inner();
    assert_eq!((recalled.open, recalled.diverges, recalled.answer), (0, true, None));
    let (another, key) = (Digest::of(b"another").as_bytes().to_vec(), key("run/small/unit"));
    house.workers().intend(IntendRequest { lease, key, request: another }).await.unwrap();
    let run = RunRequest { run: "small".to_owned() };
    let status = house.runs().get_run(run).await.unwrap().into_inner();
    assert_eq!((status.spent, status.held), (spend(42), spend(0)));
    assert_eq!((status.replays, status.tokens_saved, status.divergences), (1, 42, 1));
    assert_eq!(status.calls.len(), 1);
    let call = &status.calls[0];
    assert_eq!((call.role.as_str(), call.model.as_str(), call.calls), ("agent", "unheard-of", 1));
    assert_eq!(call.spent, Some(Spend { nano_usd: 2_000_000_000, tokens: 42 }));
    let limited = status.time.iter().find(|time| time.what == "limited");
    assert_eq!(limited.map(|time| time.ms), Some(1_500));
}

#[tokio::test]
async fn a_large_answer_travels_as_a_blob_both_ways() {
    let house = House::new().await;
    let (_worker, lease) = leased(&house).await;
    let large = record(2 * MOST_INLINE_BYTES);
    let refused = {
        let request = Digest::of(b"request").as_bytes().to_vec();
        let (lease, record) = (lease.clone(), Some(inline(&large)));
        let answer =
            AnswerRequest { lease, key: key("run/small/unit"), request, record, hold: 1, used: spend(1) };
        house.workers().answer(answer).await.unwrap_err()
    };
    assert_eq!(Problem::from(&refused).reason, Reason::TooLarge);
    let digest = house.core.store().blob_put(&large).await.unwrap();
    buy(&house, &lease, at(digest)).await;
    let recalled = house.workers().recall(recall(lease, b"request")).await.unwrap().into_inner();
    let Some(At::Digest(address)) = recalled.answer.unwrap().at else { panic!("it travelled inside") };
    let address = Digest::from_bytes(address.try_into().unwrap());
    assert!(house.core.store().blob_get(address).await.unwrap() == large);
}

#[tokio::test]
async fn a_worker_reaches_the_journal_of_its_run_only() {
    let house = House::new().await;
    let (_worker, lease) = leased(&house).await;
    for scope in ["run/other/unit", "run/small", "run/smaller/unit", "", "run/small/a\nb"] {
        let recall = RecallRequest { key: key(scope), ..recall(lease.clone(), b"request") };
        let refused = Problem::from(&house.workers().recall(recall).await.unwrap_err());
        assert_eq!(
            (refused.reason, refused.details["field"].as_str()),
            (Reason::Malformed, "key.scope"),
            "{scope}"
        );
    }
}

#[tokio::test]
async fn after_the_lease_nothing_is_read_or_written() {
    let house = House::new().await;
    let (mut worker, lease) = leased(&house).await;
    house.clock.advance(LEASE * 2);
    worker.hear().await;
    let mut journal = house.workers();
    let (key, request) = (key("run/small/unit"), Digest::of(b"request").as_bytes().to_vec());
    let reserve = ReserveRequest { lease: lease.clone(), hold: 1, most: spend(1) };
    let intend = IntendRequest { lease: lease.clone(), key: key.clone(), request: request.clone() };
    let record = Some(inline(&record(1)));
    let answer =
        AnswerRequest { lease: lease.clone(), key: key.clone(), request, record, hold: 1, used: spend(1) };
    let refusals = [
        journal.recall(recall(lease.clone(), b"request")).await.map(|_| ()).unwrap_err(),
        journal.reserve(reserve).await.map(|_| ()).unwrap_err(),
        journal.intend(intend.clone()).await.map(|_| ()).unwrap_err(),
        journal.withdraw(intend).await.map(|_| ()).unwrap_err(),
        journal.answer(answer).await.map(|_| ()).unwrap_err(),
        journal.lost(HoldRequest { lease: lease.clone(), hold: 1 }).await.map(|_| ()).unwrap_err(),
        journal.release(HoldRequest { lease, hold: 1 }).await.map(|_| ()).unwrap_err(),
    ];
    for refusal in &refusals {
        assert_eq!(Problem::from(refusal).reason, Reason::StaleLease, "{refusal}");
    }
    assert_eq!(house.core.store().journal_read("run/").await.unwrap(), Vec::new(), "nothing was written");
}

#[tokio::test]
async fn a_budget_says_what_is_missing() {
    let house = House::new().await;
    let (_worker, lease) = leased(&house).await;
    let mut journal = house.workers();
    let reserve = |hold, tokens| ReserveRequest { lease: lease.clone(), hold, most: spend(tokens) };
    let refused = Problem::from(&journal.reserve(reserve(1, 1_001)).await.unwrap_err());
    assert_eq!(refused.reason, Reason::BudgetExhausted);
    assert_eq!(
        (refused.details["need_tokens"].as_str(), refused.details["limit_tokens"].as_str()),
        ("1001", "1000")
    );
    journal.reserve(reserve(2, 600)).await.unwrap();
    let refused = Problem::from(&journal.reserve(reserve(3, 600)).await.unwrap_err());
    assert_eq!((refused.reason, refused.details["held_tokens"].as_str()), (Reason::BudgetHeld, "600"));
    journal.release(HoldRequest { lease: lease.clone(), hold: 2 }).await.unwrap();
    journal.reserve(reserve(3, 600)).await.unwrap();
    journal.lost(HoldRequest { lease, hold: 3 }).await.unwrap();
    let status = house.runs().get_run(RunRequest { run: "small".to_owned() }).await.unwrap().into_inner();
    assert_eq!((status.spent, status.may_have_billed), (spend(600), 1));
}

#[tokio::test]
async fn shares_of_a_limit_follow_what_the_provider_allows() {
    use palaestra_proto::v1::{LimitKey, ReturnShareRequest, ShareRequest};
    let house = House::new().await;
    let _worker = Worker::register(&house, "w", 1).await;
    let account = Digest::of(b"key").as_bytes().to_vec();
    let key = Some(LimitKey { provider: "openai".to_owned(), account, model: "m".to_owned() });
    let ask = |worker: &str, total, want, seen| ShareRequest {
        worker: worker.to_owned(),
        key: key.clone(),
        total,
        want,
        seen,
    };
    let mut dealer = house.workers();
    let first = dealer.request_share(ask("w", 4, 10, 0)).await.unwrap().into_inner();
    assert_eq!((first.slots, first.lasts_ms), (4, 30_000));
    let more = dealer.request_share(ask("w", 6, 10, first.grant)).await.unwrap().into_inner();
    assert_eq!(more.slots, 6);
    let give_back = ReturnShareRequest { worker: "w".to_owned(), key: key.clone(), grant: more.grant };
    dealer.return_share(give_back).await.unwrap();
    let unknown = dealer.request_share(ask("stranger", 6, 1, 0)).await.unwrap_err();
    assert_eq!(Problem::from(&unknown).reason, Reason::UnknownWorker);
}
