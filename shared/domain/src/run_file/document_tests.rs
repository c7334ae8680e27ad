//! Several documents in one file, and evaluations with everything that can be wrong in them.

use super::*;
use crate::run_file::evaluation::{GuidanceSpec, SplitName};

const BOTH: &str = "\
apiVersion: palaestra.dev/v1alpha1
kind: ConstructionRun
metadata: { name: retail-contrast }
spec:
  environment: { name: workshop }
  sources: [{ scripted: hasty }]
---
apiVersion: palaestra.dev/v1alpha1
kind: EvaluationRun
metadata: { name: retail }
spec:
  environment: { name: workshop }
  targets: [{ model: lab/large }, { scripted: hasty }]
  conditions:
    - name: none
    - { name: contrastive, bank: { run: retail-contrast } }
  providers: { lab: { protocol: openai, baseUrl: 'http://localhost/v1' } }
";

#[test]
fn a_construction_and_its_evaluation_stand_in_one_file() {
    let documents = read_all("run.yaml", BOTH).unwrap();
    let [Document::Construction(construction), Document::Evaluation(evaluation)] = documents.as_slice()
    else {
        panic!("{documents:?}")
    };
    assert_eq!(construction.metadata.name.as_str(), "retail-contrast");
    let spec = &evaluation.spec;
    assert_eq!((spec.split, spec.repeats), (SplitName::HeldOut, 1));
    assert_eq!(spec.guidance, GuidanceSpec::default());
    let sources: Vec<String> =
        spec.targets.iter().map(|target| target.source().unwrap().to_string()).collect();
    assert_eq!(sources, ["lab/large", "scripted/hasty"]);
    let json = serde_json::to_value(&documents).unwrap();
    assert_eq!(serde_json::from_value::<Vec<Document>>(json).unwrap(), documents);
}

#[test]
fn all_mistakes_of_all_documents_come_at_once_with_their_lines() {
    let bad = BOTH
        .replace("sources: [{ scripted: hasty }]", "sources: [{ script: hasty }]")
        .replace("lab/large", "large")
        .replace("name: none", "name: 'No Memory'")
        .replace("run: retail-contrast }", "run: retail-contrast, hash: 12 }")
        .replace("targets:", "splitt: held_out\n  targets:");
    insta::assert_snapshot!(read_all("run.yaml", &bad).unwrap_err().to_string());
}

#[test]
fn contradictions_of_an_evaluation_name_their_place() {
    let bad = BOTH
        .replace("{ scripted: hasty }]\n  conditions", "{ scripted: hasty, model: lab/a }, { model: lab/large }, { model: x/y }]\n  conditions")
        .replace("- name: none", "- name: contrastive\n    - { name: own, bank: { run: retail } }\n    - { name: both, bank: { run: a, file: b } }")
        .replace("name: retail-contrast }\nspec", "name: retail }\nspec");
    insta::assert_snapshot!(read_all("run.yaml", &bad).unwrap_err().to_string());
    let recorded = BOTH.replace(
        "name: retail }\nspec:\n  environment: { name: workshop",
        "name: retail }\nspec:\n  environment: { name: recorded",
    );
    let report = read_all("run.yaml", &recorded).unwrap_err().to_string();
    assert!(
        report.contains("run.yaml:12: spec.environment.name: an evaluation needs a live world"),
        "{report}"
    );
}

#[test]
fn a_name_that_stands_twice_and_a_kind_that_does_not_exist_are_mistakes() {
    let twice = BOTH
        .replace("name: retail }", "name: retail-contrast }")
        .replace("run: retail-contrast", "run: other");
    let report = read_all("run.yaml", &twice).unwrap_err().to_string();
    assert!(report.contains("run.yaml:10: metadata.name: two runs of this file are named"), "{report}");
    let kind = BOTH.replace("EvaluationRun", "EvaluateRun");
    let report = read_all("run.yaml", &kind).unwrap_err().to_string();
    assert!(
        report.contains("run.yaml:9: kind: `EvaluateRun` is not known; did you mean `EvaluationRun`?"),
        "{report}"
    );
}
