//! Construction by a language model: what it is shown, and what becomes of answers that are not
//! what was asked for.

use std::sync::Arc;

use palaestra_domain::packet::{DifferenceKind, PacketView};
use palaestra_domain::run_file::spec::ConstructionSpec;
use palaestra_domain::{FunctionCard, FunctionEvidence, Profile, RejectionReason, SkillDelta};
use palaestra_methods::contramem::focus;
use palaestra_methods::contramem::model::{
    CardQuestion, ConstructionModel as _, Decision, Reflection, Reply,
};
use palaestra_models::{Finish, ModelRequest};
use palaestra_store::Store;
use serde_json::json;

use crate::support::attempts::{TASK, view};
use crate::support::building::{Material, store};
use crate::support::cases::case;
use crate::support::models::{Scripted, add, asks_for, delta, deltas, journaled, patches, words};

fn settings(profile: Profile) -> ConstructionSpec {
    ConstructionSpec { profile, ..ConstructionSpec::default() }
}

async fn model(
    script: impl Fn(&ModelRequest) -> (String, Finish) + Send + Sync + 'static,
) -> (Arc<dyn Store>, Scripted) {
    let store = store();
    let scripted = Scripted::new(&store, settings(Profile::FunctionCalling), script).await;
    (store, scripted)
}

fn reflection(packet: &PacketView) -> Reflection<'_> {
    let focus = focus::block(&packet.ability, packet.task_signature);
    Reflection { packet, relevant: &[], focus, max_deltas: 3 }
}

async fn reflected(scripted: &Scripted, kind: DifferenceKind) -> Reply<Vec<SkillDelta>> {
    scripted.model.reflect("skill/orders/0/reflect", &reflection(&view(case(kind)))).await.unwrap()
}

fn question(evidence: &FunctionEvidence) -> CardQuestion<'_> {
    CardQuestion { evidence, documentation: None }
}

async fn cancel_evidence() -> FunctionEvidence {
    let tasks = [case(DifferenceKind::RecoveryAfterError).into_iter().map(|attempt| attempt.0).collect()];
    let material = Material::new(store().as_ref(), &tasks).await;
    material.evidence.into_iter().find(|e| e.target_tool.function() == "cancel_order").unwrap()
}

#[tokio::test]
async fn a_model_is_shown_the_packet_and_nothing_of_its_identity() {
    let (_, scripted) = model(|_| (deltas(&[delta()]), Finish::Stop)).await;
    let reply = reflected(&scripted, DifferenceKind::MissingWrite).await;
    assert_eq!(reply.value.unwrap(), [delta()]);
    let request = scripted.seen().remove(0);
    let text = words(&request);
    for shown in ["run_a", "run_d", "shop.cancel_order", "missing_write", "<PERSON_1>", "at most 3 lessons"] {
        assert!(text.contains(shown), "{shown} in {text}");
    }
    for private in ["model-north", TASK, "scenario of", "7800651", "Kovacs", "example.com"] {
        assert!(!text.contains(private), "{private} in {text}");
    }
    assert_eq!((asks_for(&request), request.cache_system, request.messages.len()), ("skill_deltas", true, 1));
    assert!(!request.system.contains("run_a"), "data stands below the cached instructions");
}

#[tokio::test]
async fn the_recorded_call_is_the_journaled_one() {
    let (store, scripted) = model(|request| match asks_for(request) {
        "skill_deltas" => (deltas(&[]), Finish::Stop),
        _ => (patches(&[add(1, &delta())]), Finish::Stop),
    })
    .await;
    let first = reflected(&scripted, DifferenceKind::MissingWrite).await.calls;
    let question = Decision { delta_index: 1, delta: &delta(), relevant: &[], function_cards: &[] };
    let second = scripted.model.curate("skill/orders/0/curate/1", &question).await.unwrap().calls;
    let expected =
        [("skill/orders/0/curate/1".to_owned(), second[0]), ("skill/orders/0/reflect".to_owned(), first[0])];
    assert_eq!(journaled(store.as_ref()).await, expected);
}

#[tokio::test]
async fn the_same_question_is_not_paid_for_twice() {
    let (_, scripted) = model(|_| (deltas(&[delta()]), Finish::Stop)).await;
    let first = reflected(&scripted, DifferenceKind::MissingWrite).await;
    let second = reflected(&scripted, DifferenceKind::MissingWrite).await;
    assert_eq!((first.value, first.calls), (second.value, second.calls));
    assert_eq!(scripted.seen().len(), 1);
}

#[tokio::test]
async fn a_faulty_answer_is_asked_for_once_more_in_the_validators_words() {
    let (_, scripted) = model(|request| match request.messages.len() {
        1 => (r#"{"deltas": [{"title": 5}]}"#.to_owned(), Finish::Stop),
        _ => (deltas(&[delta()]), Finish::Stop),
    })
    .await;
    assert_eq!(reflected(&scripted, DifferenceKind::MissingWrite).await.value.unwrap().len(), 1);
    let seen = scripted.seen();
    let again = json!(seen[1].messages[2]).to_string();
    assert_eq!(seen.len(), 2);
    assert!(again.contains("/deltas/0") && again.contains("applies_when"), "{again}");
}

#[tokio::test]
async fn an_answer_that_stays_faulty_is_refused_and_kept() {
    let (_, scripted) = model(|_| ("I would rather not.".to_owned(), Finish::Stop)).await;
    let refused = reflected(&scripted, DifferenceKind::MissingWrite).await.value.unwrap_err();
    assert_eq!(
        (refused.rejection.reason, refused.answer.as_str()),
        (RejectionReason::Malformed, "I would rather not.")
    );
    assert!(refused.rejection.detail.contains("not valid JSON"), "{}", refused.rejection);
    assert_eq!(scripted.seen().len(), 2);
}

#[tokio::test]
async fn an_unknown_field_is_a_fault_too() {
    let extra = json!({ "deltas": [], "notes": "x" }).to_string();
    let (_, scripted) = model(move |_| (extra.clone(), Finish::Stop)).await;
    let refused = reflected(&scripted, DifferenceKind::MissingWrite).await.value.unwrap_err();
    assert!(refused.rejection.detail.contains("notes"), "{}", refused.rejection);
}

#[tokio::test]
async fn a_cut_answer_is_never_parsed() {
    let (_, scripted) = model(|_| (deltas(&[delta()]), Finish::Length)).await;
    let refused = reflected(&scripted, DifferenceKind::MissingWrite).await.value.unwrap_err();
    assert_eq!((refused.rejection.reason, scripted.seen().len()), (RejectionReason::Truncated, 1));
    assert_eq!(refused.answer, deltas(&[delta()]));
}

#[tokio::test]
async fn one_patch_for_the_delta_that_was_asked_about() {
    let decided = |answer: String| async move {
        let (_, scripted) = model(move |_| (answer.clone(), Finish::Stop)).await;
        let question = Decision { delta_index: 1, delta: &delta(), relevant: &[], function_cards: &[] };
        scripted.model.curate("c", &question).await.unwrap().value
    };
    assert_eq!(decided(patches(&[add(1, &delta())])).await.unwrap(), add(1, &delta()));
    for (answer, count) in
        [(vec![], 0), (vec![add(0, &delta())], 1), (vec![add(1, &delta()), add(1, &delta())], 2)]
    {
        let refused = decided(patches(&answer)).await.unwrap_err();
        assert_eq!(
            (refused.rejection.reason, refused.rejection.field.as_str()),
            (RejectionReason::Malformed, "patches")
        );
        assert!(refused.rejection.detail.contains(&format!("{count} came")), "{}", refused.rejection);
        assert_eq!(refused.answer.matches("ADD_CARD").count(), count);
    }
}

#[tokio::test]
async fn prompts_say_what_the_profile_and_the_contrast_ask_for() {
    for profile in [Profile::FunctionCalling, Profile::CodeCells] {
        let scripted = Scripted::new(&store(), settings(profile), |_| (deltas(&[]), Finish::Stop)).await;
        for (scope, kind) in [("a", DifferenceKind::MissingWrite), ("b", DifferenceKind::SharedError)] {
            scripted.model.reflect(scope, &reflection(&view(case(kind)))).await.unwrap();
        }
        let prompts: Vec<String> = scripted.seen().into_iter().map(|request| request.system).collect();
        let cells = profile == Profile::CodeCells;
        assert_eq!(prompts[0].contains("one of them `state_write`"), cells);
        assert_eq!(prompts[0].contains("procedure_sketch"), cells);
        assert_eq!([0, 1].map(|at| prompts[at].contains("Nobody passed this task")), [false, true]);
        assert!(
            prompts[0].contains("One change to one target"),
            "the focus of the signature: {}",
            prompts[0]
        );
    }
}

#[tokio::test]
async fn the_builder_prompt_follows_limits_and_writes() {
    let mut evidence = cancel_evidence().await;
    for profile in [Profile::FunctionCalling, Profile::CodeCells] {
        let scripted = Scripted::new(&store(), settings(profile), |_| (String::new(), Finish::Stop)).await;
        for (scope, writes) in [("a", 2), ("b", 0)] {
            evidence.stats.write_calls = writes;
            scripted.model.build_function_card(scope, &question(&evidence)).await.unwrap();
        }
        let prompts: Vec<String> =
            scripted.seen().into_iter().step_by(2).map(|request| request.system).collect();
        let cells = profile == Profile::CodeCells;
        assert_eq!(prompts[0].contains("apis.shop.cancel_order(...)"), cells);
        assert!(prompts[0].contains(if cells { "Limits: 8 arguments" } else { "Limits: 12 arguments" }));
        assert_eq!(
            [0, 1].map(|at| prompts[at].contains("`side_effects` says what it changes")),
            [true, false]
        );
    }
}

#[tokio::test]
async fn a_function_card_is_read_as_it_is_written() {
    let evidence = cancel_evidence().await;
    let tool = evidence.target_tool.clone();
    let card = FunctionCard {
        card_id: FunctionCard::id_of(&tool).unwrap(),
        app: tool.app().into(),
        function: tool.function().into(),
        tool,
        what_it_does: "Cancels one order.".into(),
        arguments: vec![],
        returns: "the new status".into(),
        usage_rules: vec![],
        common_mistakes: vec![],
        side_effects: vec!["The order is cancelled.".into()],
        doc_delta_notes: vec![],
        code_idiom: None,
    };
    let text = json!(card).to_string();
    let (_, scripted) = model(move |_| (text.clone(), Finish::Stop)).await;
    let reply =
        scripted.model.build_function_card("function/shop.cancel_order", &question(&evidence)).await.unwrap();
    assert_eq!(reply.value.unwrap(), card);
}

/// The prompts of the three questions, as they are sent.
#[tokio::test]
async fn prompts_have_a_stable_form() {
    let (_, scripted) = model(|_| ("{}".to_owned(), Finish::Length)).await;
    let card = palaestra_domain::SkillCard { card_id: delta().card_id().unwrap(), content: delta() };
    let decision = Decision {
        delta_index: 0,
        delta: &delta(),
        relevant: std::slice::from_ref(&card),
        function_cards: &[],
    };
    scripted.model.build_function_card("f", &question(&cancel_evidence().await)).await.unwrap();
    reflected(&scripted, DifferenceKind::SharedError).await;
    scripted.model.curate("c", &decision).await.unwrap();
    for request in scripted.seen() {
        let palaestra_models::Message::User { text, .. } = &request.messages[0] else {
            panic!("one question")
        };
        insta::assert_snapshot!(asks_for(&request).to_owned(), format!("{}\n---\n{text}", request.system));
    }
}
