//! Contrast packets (§3.1, appendix B.4): who stands where, which axes there are, and what a model
//! never sees.

use std::collections::BTreeSet;

use palaestra_domain::Outcome;
use palaestra_domain::packet::{Axis, ContrastKind, DifferenceKind, SpanKind};
use palaestra_domain::task::TaskSignature;
use palaestra_methods::contramem::stored_packet::{STORED_PACKET_FORMAT, StoredPacket};
use serde_json::json;

use crate::support::attempts::{Attempt, TASK, attempt, failed, passed, stored, unresolved, view};
use crate::support::cases::{KINDS, case, look};

#[test]
fn passing_attempts_come_first_then_sources_then_trials() {
    let packet = stored([
        failed("b"),
        passed("c").trial(1),
        unresolved("a"),
        passed("c"),
        passed("b"),
        attempt("a", Outcome::NoResult { reason: "step limit".into() }),
    ])
    .packet;
    let told: Vec<(String, String, u32)> = packet
        .identity
        .runs
        .iter()
        .map(|(alias, run)| (alias.clone(), run.source.to_string(), run.trial))
        .collect();
    let expected =
        [("run_a", "b", 0), ("run_b", "c", 0), ("run_c", "c", 1), ("run_d", "a", 0), ("run_e", "b", 0)];
    assert_eq!(told, expected.map(|(alias, source, trial)| (alias.to_owned(), source.to_owned(), trial)));
    let outcomes: Vec<&str> = packet.view.runs.iter().map(|run| run.outcome.as_str()).collect();
    assert_eq!(outcomes, ["passed", "passed", "passed", "no_result", "failed"]);
    assert_eq!(
        packet.view.runs.iter().map(|r| &r.alias).collect::<Vec<_>>(),
        packet.identity.runs.keys().collect::<Vec<_>>()
    );
}

#[test]
fn there_are_aliases_for_more_than_the_alphabet() {
    let runs = view((0..60).map(|n| passed(&format!("source-{n:02}")))).runs;
    let aliases: BTreeSet<&str> = runs.iter().map(|run| run.alias.as_str()).collect();
    assert_eq!(aliases.len(), 60);
    assert_eq!([25, 26, 51, 52].map(|n| runs[n].alias.as_str()), ["run_z", "run_aa", "run_az", "run_ba"]);
}

#[test]
fn consecutive_actions_of_one_kind_are_one_span() {
    let attempt = look(look(passed("a")).page(1)).cancel("x").shipped().says("done").hands_over();
    let run = view([attempt.ends("Bye.")]).runs.remove(0);
    let spans: Vec<(SpanKind, usize)> =
        run.spans.iter().map(|span| (span.kind, span.actions.len())).collect();
    assert_eq!(
        spans,
        [(SpanKind::Read, 3), (SpanKind::Write, 2), (SpanKind::Say, 1), (SpanKind::Finalize, 1)]
    );
    assert_eq!((run.agent_events, run.errors, run.final_response.as_deref()), (7, 1, Some("Bye.")));
    assert_eq!(run.writes.iter().map(|w| w.error).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn outcomes_make_exactly_one_kind_of_contrast() {
    for (attempts, kind) in [
        (vec![passed("a"), failed("b")], ContrastKind::Disagreement),
        (vec![passed("a"), passed("b"), unresolved("c")], ContrastKind::AllPassed),
        (vec![failed("a"), unresolved("b")], ContrastKind::AllFailed),
        (vec![attempt("a", Outcome::NoResult { reason: "x".into() })], ContrastKind::AllFailed),
        (vec![unresolved("a")], ContrastKind::NoEvidence),
    ] {
        assert_eq!(view(attempts).contrast, kind);
    }
}

#[test]
fn axes_follow_from_outcomes_lengths_and_errors() {
    let long = || look(look(look(look(look(look(passed("long")))))));
    for (attempts, axes) in [
        (vec![look(passed("a")), failed("b")], vec![Axis::Correctness]),
        (vec![failed("a"), failed("b").shipped()], vec![Axis::SharedFailure]),
        (vec![look(passed("a")), look(look(passed("b")))], vec![]),
        (vec![look(look(look(passed("a")))), long()], vec![Axis::Efficiency]),
        (vec![look(look(look(look(passed("a"))))), long()], vec![]),
        (vec![look(passed("a")).shipped(), failed("b")], vec![Axis::Correctness, Axis::Recovery]),
        (vec![unresolved("a").shipped()], vec![]),
    ] {
        assert_eq!(view(attempts).axes, axes.into_iter().collect());
    }
}

#[test]
fn the_signature_follows_from_what_passing_attempts_did() {
    let mail = |attempt: Attempt| attempt.read("mail.search", json!({}), "[]");
    for (attempts, signature) in [
        (vec![passed("a").says("hello")], TaskSignature::Default),
        (vec![look(passed("a"))], TaskSignature::AnswerExtraction),
        (vec![mail(look(passed("a")))], TaskSignature::AnswerExtraction),
        (vec![look(passed("a")).cancel("x")], TaskSignature::StateWrite),
        (vec![look(passed("a")).shipped().cancel("x")], TaskSignature::StateWrite),
        (vec![mail(passed("a")).cancel("x")], TaskSignature::CrossApp),
        (vec![passed("a").cancel("x").refund()], TaskSignature::BulkOrMultiWrite),
        (vec![mail(passed("a")).cancel("x").refund()], TaskSignature::BulkOrMultiWrite),
        (vec![look(passed("a")), failed("b").cancel("x").refund()], TaskSignature::AnswerExtraction),
        (vec![failed("a").cancel("x"), failed("b")], TaskSignature::StateWrite),
    ] {
        assert_eq!(view(attempts).task_signature, signature);
    }
}

#[test]
fn a_model_sees_neither_sources_nor_ids_nor_values() {
    for kind in KINDS {
        let packet = stored(case(kind));
        let text = serde_json::to_string(&packet.packet.view).unwrap();
        for private in ["model-", TASK, "scenario", "7800651", "Mei", "Kovacs", "example.com", "Denver"] {
            assert!(!text.contains(private), "{private} in {text}");
        }
        assert_eq!(packet.packet.identity.task.as_str(), TASK);
    }
}

#[test]
fn the_private_half_keeps_values_and_the_graders_words() {
    let attempts =
        case(DifferenceKind::MissingWrite).into_iter().map(|a| a.feedback("Order #W7800651 is open"));
    let packet = stored(attempts);
    assert_eq!((packet.format, packet.judge_prose.len()), (STORED_PACKET_FORMAT, 4));
    let values: BTreeSet<&str> = packet.values.iter().map(|(value, _)| value.as_str()).collect();
    assert!(values.contains("#W7800651") && values.contains("Mei Kovacs"), "{values:?}");
    let text = serde_json::to_string(&packet).unwrap();
    assert_eq!(serde_json::from_str::<StoredPacket>(&text).unwrap(), packet);
}

#[test]
fn a_packet_has_a_stable_form() {
    let mut attempts = case(DifferenceKind::RecoveryAfterError);
    attempts[3] =
        attempts[3].clone().unknown("shop.fly").feedback("not cancelled").ends("Sorry, Mei Kovacs.");
    insta::assert_json_snapshot!(view(attempts));
}
