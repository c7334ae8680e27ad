//! A construction and the evaluation of its bank in one file, as people use them.

use palaestra_store::SqliteStore;
use serde_json::Value;

use crate::support::{Folder, WORKSHOP, number, run_file, text};

/// An evaluation around the rest of its spec.
fn evaluation(name: &str, rest: &str) -> String {
    format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: EvaluationRun\nmetadata: {{ name: {name} }}\nspec:\n  \
         environment: {{ name: workshop }}\n{rest}"
    )
}

const TARGETS: &str = "  targets: [{ scripted: hasty }, { scripted: restless }]\n";
const CONDITIONS: &str = "  conditions: [{ name: none }, { name: contrastive, bank: { run: built } }]\n";

fn both() -> String {
    let measured = evaluation("measured", &format!("{TARGETS}{CONDITIONS}"));
    format!("{}---\n{measured}", run_file("built", WORKSHOP))
}

#[test]
fn a_bank_is_built_and_measured_by_one_file() {
    let folder = Folder::new();
    folder.write("both.yaml", &both());
    let said = folder.say(&["plan", "-f", "both.yaml"]).ok();
    assert!(said.contains("evaluation measured") && said.contains("has no frozen bank here"), "{said}");
    let said = folder.say(&["run", "-f", "both.yaml"]).ok();
    for words in ["run built: ", "Evaluation measured", "condition contrastive: bank ", "exact p", "overage"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let again = folder.say(&["run", "-f", "both.yaml"]).ok();
    let table = |said: &str| said.split("Evaluation measured").nth(1).unwrap().to_owned();
    assert_eq!(table(&again), table(&said), "the same report");
    let plan = folder.say(&["plan", "-f", "both.yaml"]).ok();
    assert!(plan.contains("condition none: no memory\n  condition contrastive: bank "), "{plan}");

    let json = folder.say(&["report", "measured", "--format", "json"]).json();
    let episodes = json["episodes"].as_array().unwrap();
    assert_eq!(episodes.len() % 4, 0, "two targets, two conditions");
    let comparison = &json["measures"]["comparisons"][0];
    assert_eq!((text(&comparison["base"]), text(&comparison["other"])), ("none", "contrastive"));
    assert_eq!((number(&comparison["flips"]["gained"]), number(&comparison["flips"]["unpaired"])), (0, 0));
    let shown = |episode: &Value| episode["shown"]["tokens"].as_u64().unwrap();
    let with =
        |name: &str| episodes.iter().filter(|episode| episode["condition"] == name).map(shown).sum::<u64>();
    // Scripted agents do not ask for guidance.
    assert_eq!((with("none"), with("contrastive")), (0, 0));
    for (form, file, words) in [
        ("md", "report.md", "# Evaluation measured"),
        ("html", "report.html", "<svg"),
        ("csv", "report.csv", "exact_p,contrastive,none,"),
    ] {
        folder.say(&["report", "measured", "--format", form, "--to", file]).ok();
        let written = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(written.contains(words), "{form}: {written}");
    }
    let error = folder.say(&["report", "built"]).refused(3);
    assert!(error.contains("there is no run `built`"), "{error}");
    assert!(
        folder.say(&["bank", "show", "--run", "built"]).ok().contains("skill"),
        "banks are shown as before"
    );
}

#[test]
fn what_may_not_be_measured_is_refused_before_anything_is_spent() {
    let folder = Folder::new();
    let refused = |name: &str, rest: &str, code: i32| {
        folder.write("one.yaml", &evaluation(name, &format!("{TARGETS}{rest}")));
        folder.say(&["run", "-f", "one.yaml"]).refused(code)
    };
    let error = refused("early", CONDITIONS, 3);
    assert!(error.contains("run `built` has no frozen bank here; build it first"), "{error}");
    folder.write("built.yaml", &run_file("built", WORKSHOP));
    folder.run("built.yaml");
    let hash = "0".repeat(64);
    let error = refused(
        "hash",
        &format!("  conditions: [{{ name: contrastive, bank: {{ run: built, hash: '{hash}' }} }}]\n"),
        3,
    );
    assert!(error.contains("its hash is") && error.contains(&hash), "{error}");
    folder.write(
        "seed.yaml",
        &evaluation("seed", &format!("{TARGETS}{CONDITIONS}"))
            .replace("name: workshop }", "name: workshop, seed: 7 }"),
    );
    let error = folder.say(&["run", "-f", "seed.yaml"]).refused(3);
    assert!(error.contains("split seed `20260610`, and the evaluation has `7`"), "{error}");
    let error = refused("file", "  conditions: [{ name: own, bank: { file: none.json } }]\n", 3);
    assert!(error.contains("cannot find the bank file"), "{error}");

    folder.say(&["bank", "export", "--run", "built", "--to", "bank.json"]).ok();
    let of_file = "  conditions: [{ name: none }, { name: own, bank: { file: bank.json } }]\n";
    folder.write("one.yaml", &evaluation("file", &format!("{TARGETS}{of_file}")));
    let said = folder.say(&["run", "-f", "one.yaml"]).ok();
    assert!(
        said.contains("of file bank.json") && said.contains("what it was built from is not known"),
        "{said}"
    );
    // Another bank under the same name is another evaluation.
    let other = run_file("other", &WORKSHOP.replace("{ scripted: hasty }, ", ""));
    folder.write("other.yaml", &other);
    folder.run("other.yaml");
    folder.say(&["bank", "export", "--run", "other", "--to", "bank.json"]).ok();
    let error = folder.say(&["run", "-f", "one.yaml"]).refused(3);
    assert!(error.contains("exists with other inputs") && error.contains("banks.own: "), "{error}");
    let error = folder.say(&["run", "-f", "one.yaml", "--bank", "x.json"]).refused(3);
    assert!(error.contains("--bank writes the bank of one construction"), "{error}");
    drop(SqliteStore::open_read_only(&folder.store("file")).unwrap());
}

#[test]
fn one_store_holds_constructions_and_evaluations() {
    let folder = Folder::new();
    folder.write("both.yaml", &both());
    let at = ["--store", "all.sqlite"];
    folder.say(&[&["run", "-f", "both.yaml"][..], &at].concat()).ok();
    assert!(folder.say(&[&["report", "measured"][..], &at].concat()).ok().contains("Evaluation measured"));
    assert!(folder.say(&[&["bank", "show"][..], &at].concat()).ok().contains("skill"));
    let said = folder.say(&["run", "-f", "both.yaml", "--ephemeral"]).ok();
    assert!(said.contains("Evaluation measured"), "{said}");
    let schema = folder.say(&["schema", "--kind", "evaluation"]).json();
    assert!(schema["properties"]["spec"].is_object());
}
