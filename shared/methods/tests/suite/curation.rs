//! The steps of one packet (algorithm 1, lines 14 to 21): who is asked what, under which name, and
//! what stands in the history afterwards.

use palaestra_domain::packet::DifferenceKind;
use palaestra_domain::run_file::spec::{ConstructionSpec, Curation};
use palaestra_domain::{RejectionReason, SkillDelta};
use palaestra_memory::BankEvent;
use palaestra_memory::history::{ConstructionRole, Verdict};
use palaestra_methods::contramem::construct::{Construction, build_skill_bank};
use palaestra_models::{Finish, ModelRequest};

use crate::support::attempts::{ability, function, trajectories, unresolved};
use crate::support::building::{Material, events, store};
use crate::support::cases::case;
use crate::support::models::{Scripted, add, asks_for, delta, deltas, journaled, patches, words};

/// The history of curating one packet with a model that answers by `script`.
async fn curated(
    settings: ConstructionSpec,
    script: impl Fn(&ModelRequest) -> (String, Finish) + Send + Sync + 'static,
) -> (Construction, Scripted, Vec<BankEvent>) {
    let store = store();
    let material = Material::new(store.as_ref(), &[trajectories(case(DifferenceKind::MissingWrite))]).await;
    let scripted = Scripted::new(&store, settings.clone(), script).await;
    let construction = material.construction(store, scripted.model.clone(), settings);
    build_skill_bank(&construction, &ability("orders"), &material.entries, &[]).await.unwrap();
    let events = events(&construction).await;
    (construction, scripted, events)
}

fn second() -> SkillDelta {
    let mut other = delta();
    other.title = "Look before you cancel".into();
    other.skill.core_rule = "If an order is to be cancelled, then look at the order first.".into();
    other.functions_used = vec![function("shop.get_order"), function("shop.cancel_order")];
    other
}

/// Answers a Curator's question with an ADD of its delta.
fn add_it(request: &ModelRequest) -> String {
    let (index, lesson) = if words(request).contains("delta_index 0") { (0, delta()) } else { (1, second()) };
    patches(&[add(index, &lesson)])
}

#[tokio::test]
async fn every_question_has_its_own_name_and_every_decision_its_calls() {
    let (construction, _, events) = curated(ConstructionSpec::default(), |request| match asks_for(request) {
        "skill_deltas" => (deltas(&[delta(), second()]), Finish::Stop),
        _ => (add_it(request), Finish::Stop),
    })
    .await;
    let journal = journaled(construction.store.as_ref()).await;
    let scopes: Vec<&str> = journal.iter().map(|(scope, _)| scope.as_str()).collect();
    assert_eq!(scopes, ["skill/orders/0/curate/0", "skill/orders/0/curate/1", "skill/orders/0/reflect"]);
    let [
        BankEvent::CuratorDecided { calls: first, verdict, .. },
        BankEvent::CuratorDecided { calls: next, .. },
        done,
    ] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(
        (first.as_slice(), next.as_slice()),
        ([journal[2].1, journal[0].1].as_slice(), [journal[2].1, journal[1].1].as_slice())
    );
    assert!(matches!(verdict, Verdict::Applied { after: Some(_), .. }), "{verdict:?}");
    assert!(matches!(done, BankEvent::PacketCurated { deltas: 2, .. }), "{done:?}");
}

#[tokio::test]
async fn a_later_delta_sees_the_card_of_an_earlier_one() {
    let (_, scripted, _) = curated(ConstructionSpec::default(), |request| match asks_for(request) {
        "skill_deltas" => (deltas(&[delta(), second()]), Finish::Stop),
        _ => (add_it(request), Finish::Stop),
    })
    .await;
    let id = delta().card_id().unwrap().to_string();
    let sees: Vec<bool> = scripted.seen().iter().map(|request| words(request).contains(&id)).collect();
    assert_eq!(sees, [false, false, true]);
}

#[tokio::test]
async fn append_only_curation_asks_nobody() {
    let settings = ConstructionSpec { curation: Curation::AppendOnly, ..ConstructionSpec::default() };
    let (_, scripted, events) = curated(settings, |_| (deltas(&[delta(), second()]), Finish::Stop)).await;
    assert_eq!(scripted.seen().iter().map(asks_for).collect::<Vec<_>>(), ["skill_deltas"]);
    let patches: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            BankEvent::CuratorDecided { patch, verdict: Verdict::Applied { .. }, .. } => {
                Some(patch.as_ref().clone())
            }
            _ => None,
        })
        .collect();
    let as_it_is = |index, lesson: &SkillDelta| {
        let mut patch = add(index, lesson);
        patch.reason = "append-only curation".into();
        patch
    };
    assert_eq!(patches, [as_it_is(0, &delta()), as_it_is(1, &second())]);
}

#[tokio::test]
async fn more_deltas_than_asked_for_are_counted_rejections() {
    let settings = ConstructionSpec { max_deltas: 1, ..ConstructionSpec::default() };
    let (_, _, events) = curated(settings, |request| match asks_for(request) {
        "skill_deltas" => (deltas(&[delta(), second()]), Finish::Stop),
        _ => (add_it(request), Finish::Stop),
    })
    .await;
    let [BankEvent::CuratorDecided { .. }, BankEvent::DeltaRejected { delta, rejections, .. }, done] =
        events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(
        (delta.as_ref(), rejections[0].reason, rejections[0].field.as_str()),
        (&second(), RejectionReason::FieldLimit, "deltas")
    );
    assert!(matches!(done, BankEvent::PacketCurated { deltas: 2, .. }), "{done:?}");
}

#[tokio::test]
async fn a_delta_is_checked_before_anybody_curates_it() {
    let mut leaking = delta();
    leaking.skill.failure_contrast = vec!["The order #W7800651 was left open.".into()];
    let mut inventing = delta();
    inventing.functions_used = vec![function("shop.fly")];
    let bad = deltas(&[leaking, inventing]);
    let (_, scripted, events) =
        curated(ConstructionSpec::default(), move |_| (bad.clone(), Finish::Stop)).await;
    assert_eq!(scripted.seen().len(), 1);
    let reasons: Vec<Vec<RejectionReason>> = events
        .iter()
        .filter_map(|event| match event {
            BankEvent::DeltaRejected { rejections, .. } => {
                Some(rejections.iter().map(|r| r.reason).collect())
            }
            _ => None,
        })
        .collect();
    assert!(reasons[0].contains(&RejectionReason::ScenarioValue), "{reasons:?}");
    assert_eq!(reasons[1], [RejectionReason::UnknownFunction]);
}

#[tokio::test]
async fn a_patch_is_checked_before_it_is_applied() {
    let (construction, _, events) = curated(ConstructionSpec::default(), |request| match asks_for(request) {
        "skill_deltas" => (deltas(&[delta()]), Finish::Stop),
        _ => {
            let mut patch = add(0, &delta());
            let card = patch.new_or_updated_card.as_mut().unwrap();
            card.skill.recovery =
                vec!["Telephone the warehouse manager and apologise for every delay.".into()];
            (patches(&[patch]), Finish::Stop)
        }
    })
    .await;
    let [BankEvent::CuratorDecided { verdict: Verdict::Rejected { rejections }, .. }, _] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert!(rejections.iter().any(|r| r.reason == RejectionReason::Unsupported), "{rejections:?}");
    let frozen = palaestra_methods::contramem::construct::freeze(&construction).await.unwrap();
    assert_eq!(frozen.bank().skill_count(), 0);
}

#[tokio::test]
async fn answers_that_cannot_be_read_are_kept_with_their_own_calls() {
    let (construction, _, events) = curated(ConstructionSpec::default(), |request| match asks_for(request) {
        "skill_deltas" => (deltas(&[delta()]), Finish::Stop),
        _ => ("{\"patches\": [".to_owned(), Finish::Length),
    })
    .await;
    let [BankEvent::AnswerRejected { role, answer, rejections, calls, packet, .. }, _] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!((*role, answer.as_str()), (ConstructionRole::Curator, "{\"patches\": ["));
    assert_eq!(rejections[0].reason, RejectionReason::Truncated);
    let journal = journaled(construction.store.as_ref()).await;
    assert_eq!(calls.as_slice(), [journal[1].1, journal[0].1]);
    assert!(packet.is_some());

    let (_, _, events) = curated(ConstructionSpec::default(), |_| ("no".to_owned(), Finish::Stop)).await;
    let [BankEvent::AnswerRejected { role, answer, .. }, BankEvent::PacketCurated { deltas: 0, .. }] =
        events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!((*role, answer.as_str()), (ConstructionRole::Reflector, "no"));
}

#[tokio::test]
async fn a_packet_without_evidence_is_curated_without_a_question() {
    let store = store();
    let tasks = [trajectories([unresolved("a").cancel("x")])];
    let material = Material::new(store.as_ref(), &tasks).await;
    let scripted = Scripted::new(&store, ConstructionSpec::default(), |_| (deltas(&[]), Finish::Stop)).await;
    let construction = material.construction(store, scripted.model.clone(), ConstructionSpec::default());
    build_skill_bank(&construction, &ability("orders"), &material.entries, &[]).await.unwrap();
    assert!(matches!(events(&construction).await.as_slice(), [BankEvent::PacketCurated { deltas: 0, .. }]));
    assert!(scripted.seen().is_empty());
}
