//! `palaestra import`: what is good is kept, what is bad is named.

use crate::support::{Folder, number, text};

const HEADER: &str = r#"{"format":"palaestra-trajectories","version":1}"#;

/// One attempt at a task of the shop, as a line of Palaestra's own format.
fn line(task: &str, source: &str, passed: bool) -> String {
    format!(
        concat!(
            r#"{{"task":{{"id":"{task}","scenario":"{task}","ability":null,"instruction":"Look it up."}},"#,
            r#""source":"{source}","trial":0,"events":["#,
            r#"{{"source":"agent","type":"call","call":"1","function":"shop.find","arguments":{{"object":{{"page":1}}}},"effect":"read"}},"#,
            r#"{{"source":"environment","type":"observation","call":"1","content":"[]","error":false}}],"#,
            r#""outcome":{{"kind":"scored","passed":{passed},"reward":{reward}}}}}"#
        ),
        task = task,
        source = source,
        passed = passed,
        reward = u8::from(passed),
    )
}

#[test]
fn bad_records_are_named_by_file_record_and_field_and_the_good_ones_stay() {
    let folder = Folder::new();
    let lines = [
        HEADER.to_owned(),
        line("shop/a/1", "one", true),
        line("shop/a/2", "one", true).replace("\"passed\":true", "\"passed\":\"yes\""),
        r#"{"task": {"id": "#.to_owned(),
        line("shop/a/3", "two", false),
    ];
    folder.write("mixed.jsonl", &lines.join("\n"));
    let said = folder.say(&["--output", "json", "import", "mixed.jsonl"]);
    assert_eq!(said.code, 6, "{}", said.stderr);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((number(&report["trajectories"]), number(&report["tasks"])), (2, 2));
    assert_eq!(
        (number(&report["sources"]["one"]["passed"]), number(&report["sources"]["two"]["failed"])),
        (1, 1)
    );
    let refused: Vec<&str> = report["refused"].as_array().unwrap().iter().map(text).collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].starts_with("mixed.jsonl, line 3, field outcome"), "{}", refused[0]);
    assert!(refused[1].starts_with("mixed.jsonl, line 4"), "{}", refused[1]);

    let human = folder.say(&["import", "mixed.jsonl"]);
    assert_eq!(human.code, 6);
    assert!(
        human.stdout.contains("2 trajectories of 2 tasks") && human.stdout.contains("line 3"),
        "{}",
        human.stdout
    );
}

#[test]
fn what_is_converted_reads_back_the_same() {
    let folder = Folder::new();
    folder.write(
        "good.jsonl",
        &[HEADER, &line("shop/a/1", "one", true), &line("shop/a/1", "two", false)].join("\n"),
    );
    let first = folder.json(&["import", "good.jsonl", "--to", "again.jsonl"]);
    let second = folder.json(&["import", "again.jsonl", "--to", "third.jsonl"]);
    assert_eq!(first, second);
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("again.jsonl"), read("third.jsonl"));
    assert_eq!(read("again.jsonl").iter().filter(|byte| **byte == b'\n').count(), 3);
}

#[test]
fn what_cannot_be_read_at_all_is_refused() {
    let folder = Folder::new();
    folder.write("newer.jsonl", &HEADER.replace("1}", "2}"));
    for (path, words) in [("newer.jsonl", "version 2"), ("absent.jsonl", "absent.jsonl")] {
        let said = folder.say(&["import", path]);
        assert_eq!(said.code, 6, "{path}: {}", said.stderr);
        assert!(said.stdout.contains("refused") && said.stdout.contains(words), "{path}: {}", said.stdout);
    }
    let message = folder.say(&["import", "newer.jsonl", "--format", "parquet"]).refused(3);
    assert!(message.contains("parquet") && message.contains("tau2"), "{message}");
}
