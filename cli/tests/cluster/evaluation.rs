//! A construction and the evaluation of its bank, handed to a coordinator in one file.

use serde_json::Value;

use crate::cluster::Cluster;
use crate::lab::{Turn, number, text};

const FILE: &str = "\
apiVersion: palaestra.dev/v1alpha1
kind: ConstructionRun
metadata: { name: built }
spec:
  environment: { name: workshop, taskPrefixes: [workshop/search/] }
  sources: [{ scripted: hasty }, { scripted: restless }]
---
apiVersion: palaestra.dev/v1alpha1
kind: EvaluationRun
metadata: { name: measured }
spec:
  environment: { name: workshop, taskPrefixes: [workshop/search/] }
  targets: [{ scripted: hasty }]
  conditions: [{ name: none }, { name: contrastive, bank: { run: built } }]
";

#[test]
fn a_file_is_submitted_in_order_and_its_report_is_the_one_of_a_run_in_one_process() {
    let _turn = Turn::take();
    let mut cluster = Cluster::on_file();
    cluster.add_coordinator(&[]);
    cluster.coordinators[0].wait_until_it_leads();
    cluster.add_worker(&[]);
    std::fs::write(cluster.folder().join("both.yaml"), FILE).unwrap();
    // Without `--watch` it is waited for what is built, since its bank is measured.
    cluster.say(&["submit", "-f", "both.yaml"]).ok();
    let watched = cluster.json(&["watch", "measured"]);
    assert_eq!(["phase", "curation"].map(|field| text(&watched[field])), ["finished", "frozen"]);
    assert_eq!(number(&watched["trajectories_done"]), number(&watched["trajectories"]));
    let names: Vec<Value> = cluster.json(&["ls"]).as_array().unwrap().clone();
    assert_eq!(names.iter().map(|run| text(&run["run"])).collect::<Vec<_>>(), ["built", "measured"]);
    let submitted = cluster.say(&["report", "measured", "--submitted", "--format", "json"]).ok();
    cluster.say(&["run", "-f", "both.yaml"]).ok();
    let alone = cluster.say(&["report", "measured", "--format", "json"]).ok();
    assert_eq!(submitted, alone);
    let refused = cluster.say(&["report", "nothing", "--submitted"]).refused(3);
    assert!(refused.contains("no run `nothing`"), "{refused}");
    let refused = cluster.say(&["watch", "measured", "--bank", "bank.json"]).refused(1);
    assert!(refused.contains("measured is an evaluation"), "{refused}");
    assert!(!cluster.folder().join("bank.json").exists());
    cluster.end();
}
