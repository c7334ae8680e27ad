//! Cards for tests: small, valid, about a shop.

use std::collections::BTreeSet;

use palaestra_domain::card::ArgumentNote;
use palaestra_domain::function_evidence::{ArgumentStats, FunctionStats};
use palaestra_domain::{
    Ability, Bank, CardId, CuratorPatch, FunctionCard, FunctionEvidence, FunctionName, Operation, SkillBody,
    SkillDelta, SkillEvidence,
};

pub fn ability() -> Ability {
    Ability::new("execution").unwrap()
}

pub fn function(name: &str) -> FunctionName {
    FunctionName::parse(name).unwrap()
}

/// A valid delta about `topic`.
pub fn delta(topic: &str) -> SkillDelta {
    SkillDelta {
        title: format!("Read every {topic} before you cancel one"),
        applies_when: format!("A {topic} is to be cancelled and several look alike"),
        solves: format!("The wrong {topic} is cancelled"),
        tags: vec!["cancellation".into(), "verification".into(), topic.to_lowercase()],
        skill: SkillBody {
            core_rule: format!("Read the details of each {topic}, then cancel the only one that fits"),
            completion_condition: vec![format!("The {topic} shows as cancelled")],
            failure_contrast: vec![format!("Cancelled the first {topic} of the listing")],
            ..SkillBody::default()
        },
        evidence: SkillEvidence::default(),
        functions_used: vec![function("shop.cancel_order"), function("shop.get_order")],
    }
}

pub fn patch(operation: Operation, targets: &[&CardId], card: Option<SkillDelta>) -> CuratorPatch {
    let single = matches!(operation, Operation::PatchCard | Operation::NarrowTrigger);
    CuratorPatch {
        delta_index: 0,
        operation,
        target_card_id: targets.first().filter(|_| single).map(|id| (*id).clone()),
        target_card_ids: targets.iter().map(|id| (*id).clone()).collect(),
        retained_card_id: targets
            .first()
            .filter(|_| operation == Operation::MergeCard)
            .map(|id| (*id).clone()),
        new_or_updated_card: card,
        reason: "as a test".into(),
    }
}

/// A bank with one skill per topic.
pub fn bank(topics: &[&str]) -> Bank {
    let mut bank = Bank::default();
    for topic in topics {
        let edit =
            crate::apply::apply(&bank, &ability(), &patch(Operation::AddCard, &[], Some(delta(topic))))
                .unwrap();
        edit.commit(&mut bank);
    }
    bank
}

pub fn ids(bank: &Bank) -> Vec<CardId> {
    bank.skills().map(|(_, card)| card.card_id.clone()).collect()
}

pub fn function_card() -> FunctionCard {
    let tool = function("shop.cancel_order");
    FunctionCard {
        card_id: FunctionCard::id_of(&tool).unwrap(),
        app: tool.app().into(),
        function: tool.function().into(),
        tool,
        what_it_does: "Cancels one pending order.".into(),
        arguments: vec![ArgumentNote {
            name: "order_id".into(),
            meaning: "The order to be cancelled".into(),
            value_form: "<ID>".into(),
        }],
        returns: "The order with its new status; an error text when it was already shipped.".into(),
        usage_rules: vec!["Read the order first: only pending orders can be cancelled.".into()],
        common_mistakes: vec!["Passing a number without its leading sign.".into()],
        side_effects: vec!["The order is cancelled and refunded.".into()],
        doc_delta_notes: vec![],
        code_idiom: None,
    }
}

pub fn evidence() -> FunctionEvidence {
    let stats = FunctionStats {
        calls: 4,
        write_calls: 4,
        arguments: [("order_id".to_owned(), ArgumentStats { calls: 4, ..ArgumentStats::default() })].into(),
        ..FunctionStats::default()
    };
    FunctionEvidence { target_tool: function("shop.cancel_order"), stats, examples: vec![] }
}

pub fn known() -> BTreeSet<FunctionName> {
    ["shop.cancel_order", "shop.get_order", "shop.list_orders"].map(function).into()
}
