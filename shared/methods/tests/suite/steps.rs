//! The small steps: which bank, which order, which focus, which identity.

use std::collections::BTreeSet;

use palaestra_agents::FunctionCallingAgent;
use palaestra_domain::TaskId;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::task::TaskSignature;
use palaestra_methods::contramem::language::LanguageModel;
use palaestra_methods::contramem::run::{Identity, IdentityInputs};
use palaestra_methods::contramem::{curriculum, focus};
use proptest::prelude::*;

use crate::support::attempts::ability;

const ABILITIES: [&str; 5] = ["execution", "search", "ambiguity", "adaptability", "time"];

#[test]
fn every_ability_and_every_signature_has_a_focus_of_its_own() {
    let by_ability = ABILITIES.map(|name| focus::block(&ability(name), TaskSignature::Default));
    let by_signature = TaskSignature::ALL.map(|signature| focus::block(&ability("retail"), signature));
    let all: BTreeSet<&str> = by_ability.into_iter().chain(by_signature).collect();
    assert_eq!(all.len(), 10);
    for block in all {
        assert!(block.contains("Look for:") && !block.contains("{{") && !block.contains("---"), "{block}");
    }
}

#[test]
fn a_known_ability_has_one_focus_whatever_the_signature() {
    for name in ABILITIES {
        let blocks: BTreeSet<&str> =
            TaskSignature::ALL.iter().map(|s| focus::block(&ability(name), *s)).collect();
        assert_eq!(blocks.len(), 1, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn curriculum_order_is_total(mut ids in prop::collection::vec("[a-b/_-]{0,3}[0-9]{0,24}[a-b]{0,2}x", 3..8)) {
        let order = |a: &String, b: &String| {
            curriculum::compare(&TaskId::new(a.clone()).unwrap(), &TaskId::new(b.clone()).unwrap())
        };
        for a in &ids {
            for b in &ids {
                prop_assert_eq!(order(a, b), order(b, a).reverse());
                prop_assert_eq!(order(a, b).is_eq(), a == b);
            }
        }
        ids.sort_by(order);
        for (at, a) in ids.iter().enumerate() {
            prop_assert!(ids[at..].iter().all(|b| order(a, b).is_le()), "{a} in {ids:?}");
        }
    }
}

fn run(rest: &str) -> RunFile {
    let head = "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: { name: x }\n";
    let spec = "spec:\n  environment: { name: workshop }\n  sources: [{ scripted: a }]\n";
    palaestra_domain::run_file::read("x.yaml", &format!("{head}{spec}{rest}")).unwrap()
}

#[test]
fn every_choice_of_construction_is_part_of_the_identity() {
    let of = |rest: &str| Identity::new(&run(rest), &IdentityInputs::default()).unwrap();
    let base = of("");
    let construction = |choice: &str| of(&format!("  construction: {{ {choice} }}\n"));
    for (choice, line) in [
        ("curation: append-only", "spec.construction.curation: \"localized\" -> \"append-only\""),
        ("maxDeltas: 2", "spec.construction.maxDeltas: 3 -> 2"),
        ("profile: code-cells", "spec.construction.profile: \"function-calling\" -> \"code-cells\""),
        ("skillCards: false", "spec.construction.skillCards: true -> false"),
        ("reflectorCards: 1", "spec.construction.reflectorCards: 5 -> 1"),
    ] {
        let other = construction(choice);
        assert_ne!(other.digest, base.digest, "{choice}");
        assert_eq!(other.differences(&base.basis), [line]);
    }
    assert_eq!(construction("maxDeltas: 3"), base, "a default that is written out is no other choice");
}

#[test]
fn inputs_and_prompts_are_part_of_the_identity() {
    let of = |inputs: &IdentityInputs| Identity::new(&run(""), inputs).unwrap();
    let prompts = Some(LanguageModel::prompts_digest().unwrap());
    let with_prompts = IdentityInputs { prompts, ..IdentityInputs::default() };
    let agent_prompts = Some(FunctionCallingAgent::prompts_digest().unwrap());
    let with_agents = IdentityInputs { agent_prompts, ..IdentityInputs::default() };
    let with_data = IdentityInputs { data_version: "2".into(), ..IdentityInputs::default() };
    let base = of(&IdentityInputs::default());
    assert_eq!(of(&with_data).differences(&base.basis), ["data_version: \"\" -> \"2\""]);
    assert_eq!(of(&with_prompts).differences(&base.basis).len(), 1);
    assert_eq!(of(&with_agents).differences(&base.basis).len(), 1);
    assert!(base.differences(&base.basis).is_empty());
}
