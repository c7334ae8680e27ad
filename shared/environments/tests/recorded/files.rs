//! Directories, damaged files, and our own format.

use std::fs;
use std::io::Write;

use palaestra_environments::recorded::{Format, Input, Writer};

use crate::support::{fixture, read, refused};

#[test]
fn expected_actions_never_reach_a_trajectory() {
    let imported = read(Input { domain: Some("retail".to_owned()), ..Input::new(fixture("")) });
    let written: String = imported.trajectories.iter().map(|t| serde_json::to_string(t).unwrap()).collect();
    assert!(written.len() > 5000);
    assert!(!written.contains("EXPECTED-CANARY"));
}

#[test]
fn a_directory_may_hold_anything() {
    let imported = read(Input::new(fixture("")));
    let root = fixture("");
    let reports: Vec<String> = imported
        .files
        .iter()
        .map(|report| {
            let format = report.format.map_or("-", Format::as_str);
            let name = report.file.strip_prefix(&root).unwrap().display().to_string();
            format!(
                "{name} {format} {}/{} {}",
                report.imported,
                report.records,
                report.skipped.clone().unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(
        reports,
        [
            "chat.jsonl openai-chat 4/4 ",
            "empty.json - 0/0 the file is empty",
            "intercode.json intercode 2/3 ",
            "one_per_file/model f/task_1.json tau2 0/1 ",
            "one_per_file/model f/task_2.json tau2 0/1 ",
            "pairs/model-c.t2/traces/retail_5_aa.json tau2-trace 1/1 ",
            "pairs/model-c.t2/traces/retail_6_bb.json tau2-trace 1/1 ",
            "tasks.json - 0/0 no known trajectory format at its beginning",
            "tau1.json tau1 4/5 ",
            "tau2_lines.jsonl tau2 3/6 ",
            "tau2_results.json tau2 4/5 ",
            "traces.jsonl tau2-trace 5/5 ",
        ]
    );
    let by_name = read(Input::new(fixture("empty.json")));
    assert_eq!(
        refused(&by_name),
        ["empty.json |  |  | the file is empty: name the format if it holds trajectories"]
    );
    assert!(refused(&read(Input::new(fixture("absent.json"))))[0].contains("cannot read the file"));
    let forced = read(Input { format: Some(Format::Tau1), ..Input::new(fixture("chat.jsonl")) });
    assert_eq!((forced.trajectories.len(), forced.refused.len()), (0, 4));
}

#[test]
fn cut_off_files_give_what_stands_before_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(fixture("tau1.json")).unwrap();
    let cut = folder.path().join("airline.json");
    fs::write(&cut, &whole[..whole.len() - 200]).unwrap();
    let imported = read(Input::new(&cut));
    assert_eq!(imported.trajectories.len(), 3);
    assert!(refused(&imported)[1].contains("the file ends inside record 5"), "{:?}", refused(&imported));

    let lines = fs::read(fixture("traces.jsonl")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(&lines).unwrap();
    let packed = packed.finish().unwrap();
    let path = folder.path().join("without-an-ending-that-tells");
    fs::write(&path, &packed).unwrap();
    assert_eq!(read(Input::new(&path)).trajectories.len(), 5, "gzip is recognised by content");
    fs::write(&path, &packed[..packed.len() - 500]).unwrap();
    let imported = read(Input::new(&path));
    assert!(!imported.trajectories.is_empty() && imported.trajectories.len() < 5);
    assert_eq!(imported.refused.len(), 1);
    assert!(refused(&imported)[0].contains("cannot read on"), "{:?}", refused(&imported));
}

#[test]
fn own_format_reads_back_what_it_writes() {
    let before = read(Input { domain: Some("retail".to_owned()), ..Input::new(fixture("")) });
    let mut writer = Writer::new(Vec::new()).unwrap();
    for trajectory in &before.trajectories {
        writer.write(trajectory).unwrap();
    }
    let bytes = writer.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.jsonl");
    fs::write(&path, &bytes).unwrap();
    let after = read(Input::new(&path));
    assert_eq!(after.files[0].format, Some(Format::Palaestra));
    assert_eq!(after.refused, []);
    assert_eq!(after.trajectories, before.trajectories);
    assert!(bytes.starts_with(b"{\"format\":\"palaestra-trajectories\",\"version\":1}\n"));

    let renamed = read(Input { source: Some("one".to_owned()), ..Input::new(&path) });
    assert!(renamed.trajectories.iter().all(|trajectory| trajectory.source.as_str() == "one"));

    let newer = String::from_utf8(bytes).unwrap().replacen("\"version\":1", "\"version\":2", 1);
    fs::write(&path, newer).unwrap();
    let refusal = &read(Input::new(&path)).refused[0];
    assert_eq!((refusal.record.as_str(), refusal.field.as_str()), ("", "version"));
    assert!(refusal.message.contains("reads up to 1: use a newer one"), "{refusal}");
}
