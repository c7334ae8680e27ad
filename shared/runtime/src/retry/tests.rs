//! What a policy promises, for every seed.

use std::time::Duration;

use proptest::prelude::*;

use super::{ErrorClass, GaveUp, RetryPolicy};

const SECOND: Duration = Duration::from_secs(1);

proptest! {
    #[test]
    fn delays_stay_between_the_floor_and_the_floor_plus_the_ceiling(seed: u64, floor_ms in 0_u64..60_000) {
        let policy = RetryPolicy::model_call();
        let mut retries = policy.start_with(fastrand::Rng::with_seed(seed));
        let floor = Duration::from_millis(floor_ms);
        let mut ceiling = SECOND;
        for _ in 0..8 {
            let delay = retries.after(ErrorClass::RateLimited, Some(floor)).unwrap();
            prop_assert!(delay >= floor && delay <= floor + ceiling, "{delay:?} above {floor:?} + {ceiling:?}");
            ceiling = (ceiling * 2).min(60 * SECOND);
        }
        prop_assert_eq!(retries.after(ErrorClass::RateLimited, None), Err(GaveUp::ClassBudget { retries: 8 }));
    }
}

#[test]
fn callers_that_fail_together_do_not_wake_together() {
    let policy = RetryPolicy::model_call();
    let delays: std::collections::BTreeSet<_> = (0..32)
        .map(|seed| {
            let mut retries = policy.start_with(fastrand::Rng::with_seed(seed));
            retries.after(ErrorClass::RateLimited, Some(2 * SECOND)).unwrap()
        })
        .collect();
    assert!(delays.len() > 24, "only {} different delays of 32", delays.len());
}

#[test]
fn a_floor_lifts_one_retry_and_leaves_the_schedule_alone() {
    let policy = RetryPolicy::model_call();
    let (mut with, mut without) =
        (policy.start_with(fastrand::Rng::with_seed(7)), policy.start_with(fastrand::Rng::with_seed(7)));
    let lifted = with.after(ErrorClass::RateLimited, Some(30 * SECOND)).unwrap();
    assert_eq!(lifted, 30 * SECOND + without.after(ErrorClass::RateLimited, None).unwrap());
    assert_eq!(
        with.after(ErrorClass::RateLimited, None).unwrap(),
        without.after(ErrorClass::RateLimited, None).unwrap()
    );
}

#[test]
fn budgets_are_per_class_and_in_total() {
    let policy = RetryPolicy::model_call().with_total(3);
    let mut retries = policy.start();
    assert_eq!(retries.after(ErrorClass::Rejected, None), Err(GaveUp::NotRetryable));
    assert_eq!(retries.after(ErrorClass::ContextOverflow, None), Err(GaveUp::NotRetryable));
    retries.after(ErrorClass::Timeout, None).unwrap();
    retries.after(ErrorClass::Timeout, None).unwrap();
    assert_eq!(retries.after(ErrorClass::Timeout, None), Err(GaveUp::ClassBudget { retries: 2 }));
    retries.after(ErrorClass::RateLimited, None).unwrap();
    assert_eq!(retries.after(ErrorClass::RateLimited, None), Err(GaveUp::TotalBudget { retries: 3 }));
    assert_eq!(retries.made(), 3);
}

#[test]
fn a_server_cannot_ask_for_an_endless_pause() {
    let mut retries = RetryPolicy::model_call().start();
    let asked = Duration::from_secs(86_400);
    assert!(matches!(
        retries.after(ErrorClass::RateLimited, Some(asked)),
        Err(GaveUp::FloorTooLong { asked: a, .. }) if a == asked
    ));
}

#[test]
fn a_patient_policy_never_gives_up_and_its_delays_stay_below_the_highest() {
    let mut retries = RetryPolicy::patient(SECOND / 5, 5 * SECOND).start();
    for _ in 0..1_000 {
        assert!(retries.after(ErrorClass::Connect, None).unwrap() <= 5 * SECOND);
    }
    assert!(retries.after(ErrorClass::Overloaded, Some(SECOND)).unwrap() >= SECOND);
    assert_eq!(retries.after(ErrorClass::Unauthorized, None), Err(GaveUp::NotRetryable));
}
