//! Every HTTP error, pauses that are asked for, outages, and answers that come late.

use std::time::Duration;

use palaestra_runtime::{Clock as _, ErrorClass, SystemClock};
use serde_json::json;

use crate::client::Client;
use crate::judge::{Judge, PROTOCOLS};

/// What is tried again.
fn waits(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..)
}

/// Else an acquittal would mean nothing.
#[tokio::test]
async fn the_judge_convicts_a_client_that_does_not_wait() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        judge.will(json!({ "type": "fail", "status": 429, "retry_after": 30.0 })).await;
        judge.will(json!({ "type": "fail", "status": 404 })).await;
        for _ in 0..3 {
            judge.post_bare(protocol).await;
        }
        let (findings, attempts) = judge.verdict().await;
        assert_eq!(findings, ["retry_after_ignored", "retried_non_retryable"], "{protocol:?}");
        assert_eq!(attempts, 3);
    }
}

#[tokio::test]
async fn every_http_error_is_tried_again_or_surfaced_and_the_judge_agrees() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        let mut attempts = 0;
        for status in 400..=599 {
            judge.will(json!({ "type": "fail", "status": status, "retry_after": 0.0 })).await;
            let outcome = client.ask(&format!("Status {status}?")).await;
            attempts += 1 + u64::from(waits(status));
            match outcome {
                Ok(response) => assert!(waits(status) && !response.text.is_empty(), "{protocol:?} {status}"),
                Err(failure) => {
                    let seen = (waits(status), failure.attempts, failure.last.status);
                    assert_eq!(seen, (false, 1, Some(status)), "{protocol:?} {failure}");
                }
            }
        }
        judge.acquits(attempts).await;
    }
}

#[tokio::test]
async fn errors_that_cannot_go_away_have_their_class() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        for (status, class) in [
            (400, ErrorClass::Rejected),
            (401, ErrorClass::Unauthorized),
            (402, ErrorClass::QuotaExhausted),
            (403, ErrorClass::Unauthorized),
            (404, ErrorClass::Rejected),
            (413, ErrorClass::ContextOverflow),
            (422, ErrorClass::Rejected),
        ] {
            judge.will(json!({ "type": "fail", "status": status })).await;
            let failure = client.ask(&format!("Status {status}?")).await.unwrap_err();
            assert_eq!((failure.last.class, failure.attempts), (class, 1), "{protocol:?} {failure}");
            judge.acquits(1).await;
        }
    }
}

#[tokio::test]
async fn a_pause_that_is_asked_for_is_kept() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        for status in [429, 503, 529] {
            judge.will(json!({ "type": "fail", "status": status, "retry_after": 0.9, "times": 1 })).await;
            let start = SystemClock.monotonic();
            client.ask(&format!("Status {status}?")).await.unwrap();
            assert!(SystemClock.monotonic() - start >= Duration::from_millis(900), "{protocol:?} {status}");
            judge.acquits(2).await;
        }
    }
}

#[tokio::test]
async fn an_outage_ends_in_a_failure_and_in_no_storm() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        for (status, class, attempts) in [
            (429, ErrorClass::RateLimited, 9),
            (503, ErrorClass::Overloaded, 7),
            (529, ErrorClass::Overloaded, 7),
        ] {
            judge.will(json!({ "type": "fail", "status": status, "retry_after": 0.0, "times": null })).await;
            let failure = client.ask(&format!("Status {status}?")).await.unwrap_err();
            assert_eq!((failure.last.class, failure.attempts), (class, attempts), "{protocol:?} {failure}");
            judge.acquits(u64::from(attempts)).await;
        }
    }
}

#[tokio::test]
async fn without_a_pause_asked_for_the_pauses_grow() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let mut settings = judge.settings(protocol);
        settings.retry.first_delay_ms = 200;
        settings.retry.max_delay_ms = 60_000;
        let client = Client::new(&settings);
        let mut verdict = (Vec::new(), 0);
        // Pauses are drawn below growing ceilings, so a few of them may happen to shrink: in one of
        // some hundred outages. Two such outages in a row are no accident.
        for outage in ["first", "second"] {
            judge.will(json!({ "type": "fail", "status": 500, "times": null })).await;
            let failure = client.ask(&format!("The {outage} outage?")).await.unwrap_err();
            assert_eq!((failure.last.class, failure.attempts), (ErrorClass::ServerError, 5), "{protocol:?}");
            verdict = judge.verdict().await;
            if verdict.0.is_empty() {
                break;
            }
        }
        assert_eq!(verdict, (Vec::new(), 5), "{protocol:?}");
    }
}

/// The one disagreement: the judge wants every 429 and 503 to be tried again. Nobody gains by waiting
/// for an account without credit, or for hours.
#[tokio::test]
async fn what_no_wait_helps_is_given_up_at_once_and_the_judge_only_warns() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        let hours = json!({ "type": "fail", "status": 503, "retry_after": 36_000.0 });
        let credit = json!({ "type": "fail", "status": 429, "message": "Your credit balance is too low." });
        for (fault, class) in [(hours, ErrorClass::Overloaded), (credit, ErrorClass::QuotaExhausted)] {
            judge.will(fault.clone()).await;
            let failure = client.ask(&format!("Now? {fault}")).await.unwrap_err();
            assert_eq!((failure.last.class, failure.attempts), (class, 1), "{protocol:?} {failure}");
            assert_eq!(judge.verdict().await, (vec!["gave_up".to_owned()], 1));
        }
    }
}

#[tokio::test]
async fn a_late_answer_is_waited_for_up_to_the_deadline() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        judge.will(json!({ "type": "delay", "seconds": 1.5 })).await;
        client.ask("Late?").await.unwrap();
        judge.acquits(1).await;

        let mut hasty = judge.settings(protocol);
        hasty.timeouts.total_ms = 700;
        judge.will(json!({ "type": "delay", "seconds": 60.0, "times": null })).await;
        let failure = Client::new(&hasty).ask("Never?").await.unwrap_err();
        assert_eq!((failure.last.class, failure.attempts), (ErrorClass::Timeout, 3), "{protocol:?}");
        // The judge keeps its requests for a minute more, and counts none that has not ended.
        assert_eq!(judge.verdict().await.0, Vec::<String>::new());
    }
}
