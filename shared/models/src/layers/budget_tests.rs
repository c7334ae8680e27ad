//! What the budget promises.

use std::task::Poll;

use super::*;

fn model() -> ModelRef {
    ModelRef { provider: "openai".into(), base_url: String::new(), model: "m".into() }
}

fn tokens(tokens: u64) -> Spend {
    Spend { usd: NanoUsd(0), tokens }
}

fn budget(limit: u64) -> Arc<Budget> {
    Budget::new(BudgetLimits { usd: None, tokens: Some(limit) }, Spend::default())
}

#[tokio::test]
async fn a_call_settles_at_what_it_used() {
    let budget = budget(100);
    for _ in 0..9 {
        let mut ticket = budget.ticket(&model(), tokens(50));
        ticket.hold().await.unwrap();
        ticket.sent();
        assert_eq!(ticket.settle(tokens(6)), (Spend::default(), 0));
    }
    assert_eq!(budget.spent(), tokens(54));
    let refused = budget.ticket(&model(), tokens(50)).hold().await.unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("50 tokens") && text.contains("46 tokens of 100 tokens"), "{text}");
}

#[tokio::test]
async fn a_call_waits_for_others_and_never_oversubscribes() {
    let budget = budget(100);
    let mut first = budget.ticket(&model(), tokens(80));
    first.hold().await.unwrap();
    let mut second = budget.ticket(&model(), tokens(80));
    {
        let mut waiting = std::pin::pin!(second.hold());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(matches!(waiting.as_mut().poll(&mut context), Poll::Pending));
        first.settle(tokens(10));
        waiting.await.unwrap();
    }
    drop(second);
    assert_eq!(budget.spent(), tokens(10), "a ticket that was never sent costs nothing");
}

#[tokio::test]
async fn an_attempt_that_may_have_billed_costs_its_reservation() {
    let budget = budget(100);
    let mut ticket = budget.ticket(&model(), tokens(40));
    ticket.hold().await.unwrap();
    ticket.sent();
    ticket.failed(true);
    ticket.hold().await.unwrap();
    ticket.sent();
    ticket.failed(false);
    ticket.hold().await.unwrap();
    assert_eq!(ticket.settle(tokens(5)), (tokens(40), 1));
    assert_eq!(budget.spent(), tokens(45));

    let mut cancelled = budget.ticket(&model(), tokens(30));
    cancelled.hold().await.unwrap();
    cancelled.sent();
    drop(cancelled);
    assert_eq!(budget.spent(), tokens(75));
}

#[tokio::test]
async fn money_is_limited_like_tokens_and_earlier_spending_counts() {
    let limits = BudgetLimits { usd: Some(NanoUsd(NanoUsd::PER_USD)), tokens: None };
    let spent = Spend { usd: NanoUsd(999_000_000), tokens: 5 };
    let budget = Budget::new(limits, spent);
    let mut small = budget.ticket(&model(), Spend { usd: NanoUsd(1_000_000), tokens: 1 });
    small.hold().await.unwrap();
    let mut large = budget.ticket(&model(), Spend { usd: NanoUsd(1_000_001), tokens: 1 });
    let text = large.hold().await.unwrap_err().to_string();
    assert!(text.contains("$0.0010 of $1.0000"), "{text}");
}
