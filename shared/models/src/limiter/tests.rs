//! What a lane does with its dealer, in simulated time.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use palaestra_domain::{Digest, LimitKey};
use palaestra_runtime::{Clock, SystemClock, tasks};
use tokio::time::{sleep, timeout};

use super::*;
use crate::account::AccountError;
use crate::settings::RateLimits;

/// The runtime's own time, which stands still in these tests until everything waits for it.
#[derive(Debug)]
struct SimulatedClock;

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn monotonic(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Ask { total: u32, want: u32, seen: u64 },
    GiveBack { grant: u64 },
}

use Said::{Ask, GiveBack};

/// Deals by a script, and writes down what was said after how many seconds.
struct Dealer {
    /// Slots for the n-th request, from 0, which wants so many.
    slots: Box<dyn Fn(u64, u32) -> u32 + Send + Sync>,
    /// Seconds in which it answers nothing.
    outage: Range<u64>,
    said: Mutex<Vec<(u64, Said)>>,
    start: Instant,
}

impl Dealer {
    fn new(slots: impl Fn(u64, u32) -> u32 + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self::during(0..0, slots))
    }

    /// Deals four slots whenever it can.
    fn with_outage(outage: Range<u64>) -> Arc<Self> {
        Arc::new(Self::during(outage, |_, _| 4))
    }

    fn during(outage: Range<u64>, slots: impl Fn(u64, u32) -> u32 + Send + Sync + 'static) -> Self {
        let start = SimulatedClock.monotonic();
        Self { slots: Box::new(slots), outage, said: Mutex::default(), start }
    }

    fn second(&self) -> u64 {
        (SimulatedClock.monotonic() - self.start).as_secs()
    }

    fn hear(&self, said: Said) {
        self.said.lock().unwrap().push((self.second(), said));
    }

    fn said(&self) -> Vec<(u64, Said)> {
        self.said.lock().unwrap().clone()
    }

    fn asked(&self) -> u64 {
        self.said().iter().filter(|(_, said)| matches!(said, Ask { .. })).count() as u64
    }
}

#[async_trait]
impl ShareDealer for Dealer {
    async fn request(&self, _: &LimitKey, total: u32, want: u32, seen: u64) -> Result<Dealt, AccountError> {
        let number = self.asked();
        self.hear(Ask { total, want, seen });
        if self.outage.contains(&self.second()) {
            return Err(AccountError::Failed { action: "reach the dealer", source: "planned".into() });
        }
        let slots = (self.slots)(number, want);
        Ok(Dealt { grant: number + 1, slots, lasts: Duration::from_secs(30) })
    }

    async fn give_back(&self, _: &LimitKey, grant: u64) -> Result<(), AccountError> {
        self.hear(GiveBack { grant });
        Ok(())
    }
}

fn limiter(dealer: &Arc<Dealer>) -> Arc<Limiter> {
    Limiter::new(Arc::clone(dealer) as Arc<dyn ShareDealer>, Arc::new(SimulatedClock))
}

fn key() -> LimitKey {
    LimitKey { provider: "openai".into(), account: Digest::of(b""), model: "m".into() }
}

fn four() -> RateLimits {
    RateLimits { concurrency: 4, ..RateLimits::default() }
}

async fn enter(limiter: &Limiter) -> lane::Slot {
    limiter.enter(&key(), &four(), 10).await
}

/// Whether a call gets a slot within so many seconds.
async fn gets_in(limiter: &Limiter, seconds: u64) -> bool {
    timeout(Duration::from_secs(seconds), enter(limiter)).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_lane_asks_for_what_is_wanted_renews_it_and_gives_it_back() {
    let dealer = Dealer::new(|_, want| want);
    let limiter = limiter(&dealer);
    let first = enter(&limiter).await;
    let second = enter(&limiter).await;
    sleep(Duration::from_secs(25)).await;
    drop((first, second));
    sleep(Duration::from_secs(60)).await;
    let ask = |want, seen| Ask { total: 4, want, seen };
    let busy = [(0, ask(1, 0)), (0, ask(2, 1)), (10, ask(2, 2)), (20, ask(2, 3))];
    assert_eq!(dealer.said(), [&busy[..], &[(30, GiveBack { grant: 4 })]].concat());
    enter(&limiter).await;
    assert_eq!(dealer.said().last(), Some(&(85, ask(1, 0))), "after a return nothing is known");
}

#[tokio::test(start_paused = true)]
async fn no_more_slots_are_used_than_were_dealt_and_a_larger_share_counts_at_once() {
    let dealer = Dealer::new(|number, want| want.min(if number < 4 { 2 } else { 3 }));
    let limiter = limiter(&dealer);
    let _in_use = (enter(&limiter).await, enter(&limiter).await);
    assert!(!gets_in(&limiter, 9).await, "two of four were dealt");
    let third = enter(&limiter).await;
    assert_eq!(third.waited().as_secs(), 11, "until the second renewal");
}

#[tokio::test(start_paused = true)]
async fn a_smaller_share_is_confirmed_once_no_more_slots_are_in_use() {
    let dealer = Dealer::new(|number, want| if number < 3 { want } else { 1 });
    let limiter = limiter(&dealer);
    let (one, two, three) = (enter(&limiter).await, enter(&limiter).await, enter(&limiter).await);
    sleep(Duration::from_secs(21)).await;
    drop(two);
    sleep(Duration::from_secs(1)).await;
    drop(three);
    assert!(!gets_in(&limiter, 5).await, "the one slot is in use");
    let seen: Vec<_> = dealer
        .said()
        .into_iter()
        .map(|(second, said)| match said {
            Ask { seen, .. } => (second, seen),
            GiveBack { .. } => panic!("the lane is in use"),
        })
        .collect();
    assert_eq!(seen[..4], [(0, 0), (0, 1), (0, 2), (10, 3)], "grant 4 gives one slot of three");
    assert_eq!(seen[4], (20, 3), "three are in use");
    assert_eq!(seen[5], (22, 5), "at once when one is left");
    drop(one);
    assert!(gets_in(&limiter, 0).await);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_dealt_nothing_asks_again_soon() {
    let dealer = Dealer::new(|number, want| if number < 3 { 0 } else { want });
    let slot = enter(&limiter(&dealer)).await;
    assert_eq!((slot.waited().as_secs(), dealer.asked()), (3, 4));
}

#[tokio::test(start_paused = true)]
async fn without_its_dealer_a_lane_keeps_its_share_until_that_runs_out() {
    let dealer = Dealer::with_outage(10..50);
    let limiter = limiter(&dealer);
    let long = enter(&limiter).await;
    sleep(Duration::from_secs(29)).await;
    assert!(gets_in(&limiter, 0).await, "the share lasts");
    sleep(Duration::from_secs(1)).await;
    assert!(!gets_in(&limiter, 5).await, "the share has run out, whatever is free");
    let slot = enter(&limiter).await;
    let waited = slot.waited().as_secs();
    assert!((15..=23).contains(&waited), "until the dealer was back and the last pause over: {waited}");
    let seconds: Vec<_> = dealer.said().iter().map(|(second, _)| *second).collect();
    let pauses: Vec<_> = seconds[1..].windows(2).map(|two| two[1] - two[0]).collect();
    assert!(pauses.len() > 5 && pauses.iter().all(|pause| *pause <= 9), "{pauses:?}");
    drop(long);
}

#[tokio::test(start_paused = true)]
async fn a_share_that_runs_out_while_quotas_are_waited_for_is_not_used() {
    let dealer = Dealer::with_outage(10..65);
    let limiter = limiter(&dealer);
    let slow = RateLimits { requests_per_minute: Some(1), ..four() };
    drop(limiter.enter(&key(), &slow, 1).await);
    // The next one gets a slot at once, and its turn after a minute, when there is no share.
    let next = limiter.enter(&key(), &slow, 1).await;
    let waited = next.waited().as_secs();
    assert!((65..=73).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn quotas_are_split_as_the_slots_are() {
    let dealer = Dealer::new(|_, _| 1);
    let limiter = limiter(&dealer);
    let limits = RateLimits { requests_per_minute: Some(60), ..four() };
    let mut waits = Vec::new();
    for _ in 0..3 {
        waits.push(limiter.enter(&key(), &limits, 10).await.waited().as_secs());
    }
    assert_eq!(waits, [0, 4, 4], "a quarter of sixty a minute");
}

#[tokio::test(start_paused = true)]
async fn the_strictest_limits_hold_while_a_lane_is_used() {
    let dealer = Dealer::new(|_, want| want);
    let limiter = limiter(&dealer);
    let limits = |concurrency| RateLimits { concurrency, ..RateLimits::default() };
    let slot = limiter.enter(&key(), &limits(1), 10).await;
    let wider = limits(9);
    assert!(timeout(Duration::from_secs(1), limiter.enter(&key(), &wider, 10)).await.is_err());
    drop(slot);
    sleep(Duration::from_secs(20)).await;
    let _both = (limiter.enter(&key(), &wider, 10).await, limiter.enter(&key(), &wider, 10).await);
    assert!(matches!(dealer.said().last(), Some((_, Ask { total: 9, want: 2, .. }))));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_stops_waiting_takes_no_slot_with_it() {
    let limiter = Limiter::new(Arc::new(Unshared), Arc::new(SimulatedClock));
    let mut slots = Vec::new();
    for _ in 0..4 {
        slots.push(enter(&limiter).await);
    }
    assert!(!gets_in(&limiter, 1).await);
    drop(slots);
    for _ in 0..4 {
        assert!(gets_in(&limiter, 0).await);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_take_turns_and_all_get_in() {
    let dealer = Dealer::new(|_, want| want.min(2));
    let limiter = limiter(&dealer);
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let limiter = Arc::clone(&limiter);
            tasks::spawn("call", async move {
                let slot = enter(&limiter).await;
                sleep(Duration::from_secs(1)).await;
                slot.waited().as_secs()
            })
        })
        .collect();
    let mut waits = Vec::new();
    for call in calls {
        waits.push(call.await.unwrap());
    }
    assert_eq!(waits, (0..20).map(|call| call / 2).collect::<Vec<_>>(), "two at a time, in their order");
    assert!(dealer.asked() < 10, "a full lane does not ask for each call: {:?}", dealer.said());
}

#[tokio::test(start_paused = true)]
async fn the_tasks_end_with_the_limiter() {
    let dealer = Dealer::new(|_, want| want);
    let limiter = limiter(&dealer);
    drop(enter(&limiter).await);
    assert_eq!(Arc::strong_count(&dealer), 3, "this test, the limiter and its lane's task");
    drop(limiter);
    while Arc::strong_count(&dealer) > 1 {
        tokio::task::yield_now().await;
    }
    assert!(matches!(dealer.said()[..], [(0, Ask { .. })]));
}
