//! What the command line and run files may say, and how mistakes are answered.

use crate::support::{Folder, WORKSHOP, repository, run_file, text};

#[test]
fn every_mistake_of_a_run_file_comes_at_once_with_its_line() {
    let folder = Folder::new();
    let wrong = "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: { name: Not A Name }\nspec:\n  \
                 environment: { name: workshop, sead: 5 }\n  sources: [{ scripted: hasty }]\n  \
                 construction: { maxDeltas: many }\n";
    folder.write("wrong.yaml", wrong);
    for command in [["run", "-f", "wrong.yaml"], ["plan", "-f", "wrong.yaml"]] {
        let message = folder.say(&command).refused(3);
        for part in ["wrong.yaml has 3 mistakes", "sead", "`seed`", "maxDeltas", "Not A Name"] {
            assert!(message.contains(part), "{part}: {message}");
        }
        for line in [":3", ":5", ":7"] {
            assert!(message.contains(line), "line {line}: {message}");
        }
    }
    assert!(!folder.path().join(".palaestra").exists(), "nothing is begun");
    assert!(folder.say(&["run", "-f", "absent.yaml"]).refused(3).contains("absent.yaml"));
}

#[test]
fn a_wrong_command_line_is_answered_with_the_usage() {
    let folder = Folder::new();
    for arguments in [&["brew"][..], &["run"], &["bank", "shew"], &["--output", "xml", "schema"], &[]] {
        let said = folder.say(arguments);
        assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{arguments:?}: {}", said.stderr);
        assert!(
            said.stderr.contains("--help") || said.stderr.contains("Usage: palaestra"),
            "{}",
            said.stderr
        );
    }
    let help = folder.say(&["--help"]).ok();
    for command in ["run", "plan", "import", "bank", "packet", "schema", "doctor"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
    }
}

#[test]
fn unknown_sources_are_refused_with_the_known_ones() {
    let folder = Folder::new();
    folder.write(
        "run.yaml",
        &run_file("x", "  environment: { name: workshop }\n  sources: [{ scripted: lazy }]\n"),
    );
    let message = folder.say(&["run", "-f", "run.yaml"]).refused(3);
    assert!(message.contains("lazy") && message.contains("hasty, presumptuous, restless"), "{message}");
}

#[test]
fn the_schema_describes_the_run_file() {
    let schema = Folder::new().say(&["schema"]).json();
    assert!(text(&schema["$schema"]).contains("json-schema.org"));
    for field in ["apiVersion", "kind", "metadata", "spec"] {
        assert!(schema["properties"][field].is_object(), "{field}");
        assert!(schema["required"].as_array().unwrap().iter().any(|name| name == field), "{field}");
    }
}

#[test]
fn the_doctor_names_what_is_missing() {
    let folder = Folder::new();
    assert!(folder.json(&["doctor"]).as_array().unwrap().iter().all(|check| check["ok"] == true));
    let quickstart = repository("examples/quickstart.yaml");
    folder.say(&["doctor", "-f", quickstart.to_str().unwrap()]).ok();
    let left: Vec<_> = folder.path().join(".palaestra").read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");

    let far = "  construction: { model: far/gpt-4.1-mini }\n  providers:\n    \
               far: { protocol: openai, baseUrl: 'https://localhost/v1', apiKeyEnv: PALAESTRA_NO_SUCH_KEY }\n";
    let absent = "  environment: { name: recorded }\n  sources: [{ recorded: absent.jsonl }]\n";
    folder.write("run.yaml", &run_file("far", &format!("{absent}{far}")));
    let said = folder.say(&["doctor", "-f", "run.yaml"]);
    assert_eq!(said.code, 3, "{}", said.stderr);
    for part in ["missing  recording absent.jsonl", "missing  key of far", "PALAESTRA_NO_SUCH_KEY"] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    // The same lack stops a run before anything is asked, and says so.
    folder.write("run.yaml", &run_file("far", &format!("{WORKSHOP}{far}")));
    let said = folder.say(&["run", "-f", "run.yaml"]);
    assert!(said.code != 0 && said.stderr.contains("PALAESTRA_NO_SUCH_KEY"), "{said:?}");
}

#[test]
fn a_plan_with_live_models_says_that_their_attempts_cost_something() {
    let folder = Folder::new();
    let spec = "  environment: { name: workshop, taskPrefixes: [workshop/search/] }\n  \
                sources: [{ model: lab/one, trials: 2 }, { scripted: hasty }]\n  \
                providers: { lab: { protocol: openai, baseUrl: 'http://127.0.0.1:9/v1' } }\n";
    folder.write("live.yaml", &run_file("live", spec));
    let plan = folder.json(&["plan", "-f", "live.yaml"]);
    assert_eq!(plan["live_attempts"].as_u64().unwrap() * 3, plan["attempts"].as_u64().unwrap() * 2, "{plan}");
    let words = folder.say(&["plan", "-f", "live.yaml"]).ok();
    assert!(words.contains("construction calls no model; what") && words.contains("`budget`"), "{words}");
}
