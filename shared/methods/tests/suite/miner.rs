//! The built-in construction model, by what it answers: its rules name the functions that the
//! differences are about, and everything that it says passes the validators.

use std::collections::BTreeSet;

use palaestra_domain::packet::{ContrastKind, DifferenceKind, PacketView};
use palaestra_domain::{FunctionEvidence, FunctionName, Profile, SkillDelta};
use palaestra_memory::validate::{
    DeltaContext, FunctionContext, PrivacyRules, PrivacySources, ScenarioValues, validate_delta,
    validate_function_card,
};
use palaestra_methods::contramem::construct::Construction;
use palaestra_methods::contramem::function_observation::Observations;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::model::{CardQuestion, ConstructionModel as _, Reflection};
use palaestra_methods::contramem::normalize::normalize;
use palaestra_methods::contramem::stored_packet::StoredPacket;

use crate::support::attempts::{Attempt, failed, passed, stored, trajectories};
use crate::support::cases::{KINDS, case, look};

async fn deltas(packet: &PacketView, max_deltas: usize) -> Vec<SkillDelta> {
    let question = Reflection { packet, relevant: &[], focus: "", max_deltas };
    ContrastMiner.reflect("any", &question).await.unwrap().value.unwrap()
}

/// The evidence of all cases together.
fn evidence() -> Vec<FunctionEvidence> {
    let one = |kind: &DifferenceKind| Observations::of_task(&normalize(&trajectories(case(*kind))).unwrap());
    KINDS.iter().map(one).fold(Observations::default(), Observations::merge).evidence()
}

/// The rules that a packet's deltas are judged by.
struct Judge {
    known: BTreeSet<FunctionName>,
    privacy: PrivacyRules,
}

impl Judge {
    fn of(packets: &[StoredPacket]) -> Self {
        let evidence = evidence();
        let known: BTreeSet<FunctionName> = evidence.iter().map(|e| e.target_tool.clone()).collect();
        let vocabulary = Construction::vocabulary_of(&evidence, &known);
        let values = packets.iter().flat_map(|p| &p.values).map(|(value, kind)| (value.as_str(), *kind));
        let identities = ["shop/orders/1", "scenario of shop/orders/1"];
        let names = ["model-north", "model-south", "model-east", "model-west"];
        let prose: Vec<&str> = packets.iter().flat_map(|p| &p.judge_prose).map(String::as_str).collect();
        let sources = PrivacySources { names: &names, identities: &identities, judge_prose: &prose };
        let values = ScenarioValues::new(values, &vocabulary).unwrap();
        Self { privacy: PrivacyRules::new(values, &sources, &vocabulary).unwrap(), known }
    }

    fn accept(&self, packet: &PacketView, delta: &SkillDelta, profile: Profile) {
        let calls = packet.runs.iter().flat_map(|r| &r.spans).flat_map(|s| &s.actions);
        let observed = calls.filter(|a| !a.unknown).filter_map(|a| a.function.clone()).collect();
        let context = DeltaContext {
            limits: profile.limits(),
            contrast: packet.contrast,
            signature: (profile == Profile::CodeCells).then_some(packet.task_signature),
            known: &self.known,
            observed: &observed,
            privacy: &self.privacy,
        };
        let rejections = validate_delta(delta, &context);
        assert!(rejections.is_empty(), "{}: {rejections:?}\n{delta:#?}", delta.title);
    }
}

#[tokio::test]
async fn a_rule_names_the_functions_of_its_difference() {
    for kind in KINDS {
        let mut packet = stored(case(kind)).packet.view;
        packet.differences.retain(|difference| difference.kind == kind);
        let found = deltas(&packet, 3).await;
        assert_eq!(found.len(), 1, "{kind:?}");
        let strongest = &packet.differences[0];
        for function in &strongest.functions {
            let name = format!("`{}`", function.function());
            assert!(found[0].skill.core_rule.contains(&name), "{kind:?}: {}", found[0].skill.core_rule);
            assert!(found[0].functions_used.contains(function), "{kind:?}: {:?}", found[0].functions_used);
        }
        if let Some(argument) = &strongest.argument {
            assert!(found[0].skill.core_rule.contains(argument), "{}", found[0].skill.core_rule);
        }
    }
}

#[tokio::test]
async fn two_kinds_of_difference_make_two_different_rules() {
    let mut rules = BTreeSet::new();
    for kind in KINDS {
        let mut packet = stored(case(kind)).packet.view;
        packet.differences.retain(|difference| difference.kind == kind);
        rules.extend(deltas(&packet, 1).await.into_iter().map(|delta| delta.skill.core_rule));
    }
    assert_eq!(rules.len(), KINDS.len());
}

#[tokio::test]
async fn every_delta_passes_the_validators_of_both_profiles() {
    for kind in KINDS {
        let attempts =
            case(kind).into_iter().map(|attempt| attempt.feedback("the order is still open in the database"));
        let packet = stored(attempts);
        let judge = Judge::of(std::slice::from_ref(&packet));
        let found = deltas(&packet.packet.view, 20).await;
        assert!(!found.is_empty(), "{kind:?}");
        for delta in &found {
            judge.accept(&packet.packet.view, delta, Profile::FunctionCalling);
            judge.accept(&packet.packet.view, delta, Profile::CodeCells);
        }
    }
}

#[tokio::test]
async fn where_nobody_passed_there_is_no_recipe() {
    for kind in [DifferenceKind::SharedFailure, DifferenceKind::SharedError] {
        let packet = stored(case(kind)).packet.view;
        assert_eq!(packet.contrast, ContrastKind::AllFailed);
        for delta in deltas(&packet, 3).await {
            assert!(
                delta.skill.success_contrast.is_empty() && delta.skill.efficiency.is_empty(),
                "{delta:?}"
            );
            assert!(delta.evidence.good_examples.is_empty(), "{delta:?}");
            assert!(
                !delta.skill.failure_contrast.is_empty() && !delta.skill.recovery.is_empty(),
                "{delta:?}"
            );
        }
    }
}

#[tokio::test]
async fn at_most_as_many_deltas_as_asked_for_and_none_without_a_difference() {
    let packet = stored(case(DifferenceKind::RecoveryAfterError)).packet.view;
    for most in 0..=2 {
        assert_eq!(deltas(&packet, most).await.len(), most);
    }
    let same = stored([look(passed("a")).cancel("x"), look(passed("b")).cancel("x")]).packet.view;
    assert!(deltas(&same, 3).await.is_empty());
}

#[tokio::test]
async fn a_clean_separation_by_a_write_comes_first() {
    let slow = |a: Attempt| look(look(look(a)));
    let attempts =
        [look(passed("a")).cancel("x"), look(passed("b")).cancel("x"), slow(failed("c")), slow(failed("d"))];
    let found = deltas(&stored(attempts).packet.view, 3).await;
    assert!(found[0].skill.core_rule.contains("`cancel_order`"), "{found:?}");
}

#[tokio::test]
async fn the_same_packet_always_makes_the_same_deltas() {
    let of = |attempts: Vec<Attempt>| async move { deltas(&stored(attempts).packet.view, 3).await };
    for kind in KINDS {
        let mut turned = case(kind);
        turned.reverse();
        assert_eq!(of(case(kind)).await, of(turned).await, "{kind:?}");
    }
}

#[tokio::test]
async fn every_function_card_passes_the_validators_of_both_profiles() {
    let packets: Vec<StoredPacket> = KINDS.iter().map(|kind| stored(case(*kind))).collect();
    let judge = Judge::of(&packets);
    for evidence in evidence() {
        let question = CardQuestion { evidence: &evidence, documentation: None };
        let card = ContrastMiner.build_function_card("any", &question).await.unwrap().value.unwrap();
        for profile in [Profile::FunctionCalling, Profile::CodeCells] {
            let limits = profile.limits();
            let context =
                FunctionContext { limits, evidence: &evidence, known: &judge.known, privacy: &judge.privacy };
            let rejections = validate_function_card(&card, &context);
            assert!(rejections.is_empty(), "{}: {rejections:?}\n{card:#?}", card.tool);
        }
        assert_eq!(card.side_effects.is_empty(), evidence.stats.write_calls == 0);
    }
}

#[tokio::test]
async fn deltas_have_a_stable_form() {
    insta::assert_json_snapshot!(deltas(&stored(case(DifferenceKind::MissingWrite)).packet.view, 3).await);
}
