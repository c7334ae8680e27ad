//! The account and the shares of a lease: what is sent, what is sent again, and what is not.

use std::sync::Arc;

use palaestra_domain::{BudgetLimits, Digest, LimitKey, NanoUsd, Spend, WorkerId};
use palaestra_models::{Account as _, AccountError, Dealt, Hold, ShareDealer as _};
use palaestra_proto::v1::payload::At;
use palaestra_proto::{MOST_INLINE_BYTES, Problem, Reason, v1};
use palaestra_runtime::CancellationToken;
use palaestra_store::{CallKey, Recalled};
use tonic::Status;

use super::fake::{Call, Fake, Reply, refusal};
use super::support::lease;
use crate::account::LeaseAccount;
use crate::blobs::RemoteBlobs;
use crate::link::Link;
use crate::shares::RemoteDealer;

struct Case {
    fake: Fake,
    link: Link,
    account: LeaseAccount,
    over: CancellationToken,
    key: CallKey,
}

fn case() -> Case {
    let (fake, channel, _) = Fake::start();
    let (link, over) = (Link::in_memory(channel), CancellationToken::new());
    let blobs = Arc::new(RemoteBlobs::new(link.clone(), over.clone()));
    let account = LeaseAccount::new(link.clone(), blobs, lease(4, 2), over.clone());
    let key = CallKey { scope: "run/retail/attempt/1".to_owned(), ordinal: 3 };
    Case { fake, link, account, over, key }
}

fn most() -> Spend {
    Spend { usd: NanoUsd(5), tokens: 7 }
}

#[tokio::test(start_paused = true)]
async fn every_message_carries_the_lease_and_holds_are_counted_up() {
    let Case { fake, account, key, .. } = case();
    let request = Digest::of(b"request");
    assert_eq!(account.recall(&key, request).await.unwrap(), Recalled::default());
    assert_eq!(account.reserve(most()).await.unwrap(), Hold(1));
    assert_eq!(account.reserve(most()).await.unwrap(), Hold(2));
    account.intend(&key, request).await.unwrap();
    account.answer(&key, request, b"record".to_vec(), Hold(1), most()).await.unwrap();
    account.lost(Hold(2)).await.unwrap();
    account.release(Hold(3)).await.unwrap();
    account.withdraw(&key, request).await.unwrap();
    let stamp = Some(v1::Lease { run: "retail".into(), index: 4, epoch: 2 });
    let wire_key = Some(v1::CallKey { scope: key.scope, ordinal: 3 });
    let (spend, digest) = (Some(v1::Spend { nano_usd: 5, tokens: 7 }), request.as_bytes().to_vec());
    let reserve = |hold| Call::Reserve(v1::ReserveRequest { lease: stamp.clone(), hold, most: spend });
    let intend = v1::IntendRequest { lease: stamp.clone(), key: wire_key.clone(), request: digest.clone() };
    let recall = v1::RecallRequest { lease: stamp.clone(), key: wire_key.clone(), request: digest.clone() };
    let hold = |hold| v1::HoldRequest { lease: stamp.clone(), hold };
    let answer = v1::AnswerRequest {
        lease: stamp.clone(),
        key: wire_key,
        request: digest,
        record: Some(v1::Payload { at: Some(At::Inline(b"record".to_vec())) }),
        hold: 1,
        used: spend,
    };
    assert_eq!(
        fake.calls(),
        [
            Call::Recall(recall),
            reserve(1),
            reserve(2),
            Call::Intend(intend.clone()),
            Call::Answer(answer),
            Call::Lost(hold(2)),
            Call::Release(hold(3)),
            Call::Withdraw(intend),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_outlasts_outages_hangs_and_a_budget_that_others_hold() {
    let Case { fake, account, .. } = case();
    fake.replies([
        refusal(Reason::BudgetHeld),
        refusal(Reason::Unavailable),
        Reply::Hang,
        Reply::Status(Status::unknown("the connection broke")),
        refusal(Reason::TooMany),
    ]);
    assert_eq!(account.reserve(most()).await.unwrap(), Hold(1));
    let holds: Vec<u32> = fake
        .calls()
        .into_iter()
        .map(|call| match call {
            Call::Reserve(request) => request.hold,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(holds, [1; 6], "it is one hold, however often it is asked for");
}

#[tokio::test(start_paused = true)]
async fn a_call_outlasts_a_broken_connection() {
    let Case { fake, account, .. } = case();
    account.reserve(most()).await.unwrap();
    fake.leave();
    let (fake_again, waiting) = (fake.clone(), account.reserve(most()));
    let back = async {
        tokio::time::advance(std::time::Duration::from_secs(20)).await;
        fake_again.back();
    };
    let (reserved, ()) = futures::join!(waiting, back);
    assert_eq!(reserved.unwrap(), Hold(2));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_lease_ends_every_call() {
    for reason in [Reason::StaleLease, Reason::UnitEnded, Reason::RunOver] {
        let Case { fake, account, .. } = case();
        fake.replies([refusal(reason)]);
        let refused = account.reserve(most()).await;
        assert!(
            matches!(&refused, Err(AccountError::LeaseOver { what }) if what.contains("retail/4")),
            "{refused:?}"
        );
    }
    let Case { fake, account, over, key, .. } = case();
    fake.leave();
    let (refused, ()) = futures::join!(account.recall(&key, Digest::of(b"request")), async { over.cancel() });
    assert!(matches!(refused, Err(AccountError::LeaseOver { .. })), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn an_exhausted_budget_keeps_its_amounts() {
    let Case { fake, account, .. } = case();
    let problem = Problem::new(Reason::BudgetExhausted, "no")
        .with("spent_nano_usd", 90)
        .with("spent_tokens", 10)
        .with("limit_nano_usd", 92);
    fake.replies([Reply::Status(problem.into())]);
    let Err(AccountError::Exhausted { needed, spent, limits }) = account.reserve(most()).await else {
        panic!("it is not refused")
    };
    assert_eq!((needed, spent), (most(), Spend { usd: NanoUsd(90), tokens: 10 }));
    assert_eq!(limits, BudgetLimits { usd: Some(NanoUsd(92)), tokens: None });
}

#[tokio::test(start_paused = true)]
async fn large_records_rest_as_blobs_on_their_way_in_and_out() {
    let Case { fake, account, key, .. } = case();
    let (request, record) = (Digest::of(b"request"), vec![9; MOST_INLINE_BYTES + 1]);
    account.answer(&key, request, record.clone(), Hold(1), most()).await.unwrap();
    let address = Digest::of(&record);
    assert_eq!(fake.calls()[0], Call::Put(address));
    let at = |at| Some(v1::Payload { at: Some(at) });
    let reply = |open, diverges, answer| Reply::Recalled(v1::RecallReply { answer, open, diverges });
    let (large, small) = (At::Digest(address.as_bytes().to_vec()), At::Inline(b"small".to_vec()));
    for (open, diverges, answer, wire) in [
        (0, false, Some(record), at(large)),
        (0, false, Some(b"small".to_vec()), at(small)),
        (3, false, None, None),
        (0, true, None, None),
    ] {
        fake.replies([reply(open, diverges, wire)]);
        let recalled = account.recall(&key, request).await.unwrap();
        assert_eq!(recalled, Recalled { answer, open, diverges });
    }
}

#[tokio::test(start_paused = true)]
async fn an_announcement_is_taken_back_at_most_once() {
    let Case { fake, account, key, .. } = case();
    fake.replies([refusal(Reason::Unavailable)]);
    account.withdraw(&key, Digest::of(b"request")).await.unwrap();
    assert_eq!(fake.calls().len(), 1);
    fake.replies([refusal(Reason::Conflict)]);
    assert!(matches!(account.withdraw(&key, Digest::of(b"request")).await, Err(AccountError::Failed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_share_is_asked_for_once_and_fails_in_bounded_time() {
    let Case { fake, link, .. } = case();
    let dealer = RemoteDealer::new(link, WorkerId::new("worker-1").unwrap());
    let key = LimitKey { provider: "p".into(), account: Digest::of(b""), model: "m".into() };
    let dealt = dealer.request(&key, 8, 3, 2).await.unwrap();
    assert_eq!(dealt, Dealt { grant: 3, slots: 2, lasts: std::time::Duration::from_millis(1_500) });
    dealer.give_back(&key, 3).await.unwrap();
    fake.replies([Reply::Hang]);
    assert!(matches!(dealer.request(&key, 8, 3, 2).await, Err(AccountError::Failed { .. })));
    let (worker, key) = ("worker-1".to_owned(), Some((&key).into()));
    let request = v1::ShareRequest { worker: worker.clone(), key: key.clone(), total: 8, want: 3, seen: 2 };
    let back = v1::ReturnShareRequest { worker, key, grant: 3 };
    assert_eq!(fake.calls(), [Call::Share(request.clone()), Call::Return(back), Call::Share(request)]);
}
