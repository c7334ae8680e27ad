//! Stores that must not be touched: held by others, of another run, from the future, torn.

use std::path::Path;

use palaestra_store::{SqliteStore, Store as _, StreamName};

use crate::support::{Folder, run_file, text};

/// A small run: one template and two agents.
const SMALL: &str = "  environment: { name: workshop, taskPrefixes: [workshop/ambiguity/which_file] }\n  \
                     sources: [{ scripted: presumptuous }, { scripted: restless }]\n";

fn small() -> Folder {
    let folder = Folder::new();
    folder.write("run.yaml", &run_file("small", SMALL));
    folder
}

/// The store file and its write-ahead log.
fn bytes(folder: &Folder) -> (Vec<u8>, Vec<u8>) {
    let store = folder.store("small");
    let log = store.with_extension("sqlite-wal");
    (std::fs::read(&store).unwrap(), std::fs::read(log).unwrap_or_default())
}

#[test]
fn a_store_that_another_process_holds_is_refused_and_can_be_read() {
    let folder = small();
    let bank = folder.run("run.yaml")["bank"].clone();
    let held = SqliteStore::open(&folder.store("small")).unwrap();
    let message = folder.say(&["run", "-f", "run.yaml"]).refused(4);
    assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
    assert!(message.contains("small.sqlite.lock"), "{message}");
    assert_eq!(folder.json(&["bank", "log"]).as_array().unwrap().last().unwrap()["digest"], bank);
    drop(held);
    assert_eq!(folder.run("run.yaml")["bank"], bank);
}

#[test]
fn a_changed_spec_under_the_same_name_is_refused_with_the_difference() {
    let folder = small();
    let bank = folder.run("run.yaml")["bank"].clone();
    let before = bytes(&folder);
    folder.write(
        "run.yaml",
        &run_file("small", &format!("{SMALL}  limits: {{ steps: 5 }}\n  construction: {{ maxDeltas: 2 }}\n")),
    );
    let message = folder.say(&["run", "-f", "run.yaml"]).refused(3);
    for difference in ["spec.limits.steps: 60 -> 5", "spec.construction.maxDeltas: 3 -> 2"] {
        assert!(message.contains(difference), "{message}");
    }
    assert_eq!(bytes(&folder), before);
    // What decides only when the run ends is no other run.
    folder.write(
        "run.yaml",
        &run_file("small", &format!("{SMALL}  limits: {{ concurrency: 1 }}\n  budget: {{ tokens: 5 }}\n")),
    );
    assert_eq!(folder.run("run.yaml")["bank"], bank);
}

#[test]
fn a_changed_recording_is_another_run() {
    let folder = small();
    folder.run("run.yaml");
    let recording = folder.path().join("attempts.jsonl");
    let line = |name: &str| {
        format!(
            "{{\"format\":\"palaestra-trajectories\",\"version\":1}}\n{{\"task\":{{\"id\":\"a/b/1\",\"scenario\":\"s\",\
             \"ability\":null,\"instruction\":\"x\"}},\"source\":\"{name}\",\"trial\":0,\"events\":[],\
             \"outcome\":{{\"kind\":\"scored\",\"passed\":true,\"reward\":1.0}}}}\n"
        )
    };
    std::fs::write(&recording, line("one")).unwrap();
    folder.write(
        "r.yaml",
        &run_file(
            "recorded",
            "  environment: { name: recorded }\n  sources: [{ recorded: attempts.jsonl }]\n",
        ),
    );
    folder.run("r.yaml");
    std::fs::write(&recording, line("two")).unwrap();
    assert!(folder.say(&["run", "-f", "r.yaml"]).refused(3).contains("files.attempts.jsonl: "));
}

#[test]
fn newer_formats_are_refused_by_name() {
    // The store's own format number: SQLite's user_version, in the file's header.
    let folder = small();
    folder.run("run.yaml");
    let store = folder.store("small");
    let mut file = std::fs::read(&store).unwrap();
    file[60..64].copy_from_slice(&2_u32.to_be_bytes());
    std::fs::write(&store, &file).unwrap();
    let before = bytes(&folder);
    for command in [&["run", "-f", "run.yaml"][..], &["bank", "export", "--run", "small"]] {
        let message = folder.say(command).refused(1);
        assert!(message.contains("newer palaestra; format 2, this program knows 1"), "{message}");
    }
    assert_eq!(bytes(&folder), before);

    // The format of a run's events.
    let folder = small();
    std::fs::create_dir(folder.path().join(".palaestra")).unwrap();
    begin_newer(&folder.store("small"));
    let before = bytes(&folder);
    for command in [&["run", "-f", "run.yaml"][..], &["bank", "export", "--run", "small"]] {
        let message = folder.say(command).refused(1);
        assert!(message.contains("newer palaestra; format 3, this program knows 2"), "{message}");
    }
    assert_eq!(bytes(&folder), before);
}

/// A store in which a program from the future began the run.
fn begin_newer(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    let event = br#"{"event":"commenced","format":3}"#.to_vec();
    let stream = StreamName::new("run/small").unwrap();
    let append = store.append(&stream, 0, vec![event]);
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(append).unwrap();
}

#[test]
fn a_newer_or_altered_bank_file_is_refused() {
    let folder = small();
    folder.run("run.yaml");
    let bank = folder.say(&["bank", "export"]).ok();
    for (name, from, to, words) in [
        ("newer.json", "\"format\":1", "\"format\":2", "newer"),
        ("altered.json", "\"what_it_does\":\"", "\"what_it_does\":\"Never ", "hash"),
        ("torn.json", "\"skill_cards\"", "\"skill_", "torn.json"),
    ] {
        assert!(bank.contains(from), "{bank}");
        folder.write(name, &bank.replacen(from, to, 1));
        let message = folder.say(&["bank", "diff", "small", name]).refused(3);
        assert!(message.contains(name) && message.contains(words), "{name}: {message}");
    }
}

#[test]
fn a_torn_store_is_refused_and_stays_as_it_is() {
    let whole = small();
    let bank = whole.run("run.yaml")["bank"].clone();
    let (sound, log) = bytes(&whole);
    assert!(log.is_empty(), "a store at rest is one file");
    let mut refusals = 0;
    let mut try_torn = |torn: &[u8], place: &str| {
        let folder = small();
        std::fs::create_dir(folder.path().join(".palaestra")).unwrap();
        std::fs::write(folder.store("small"), torn).unwrap();
        let said = folder.say(&["--output", "json", "run", "-f", "run.yaml"]);
        if said.code == 0 {
            // The damage is where nothing that this run needs lies, or where it is made good: a run that
            // is done already may have to be noted as done once more.
            let summary: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
            assert_eq!(text(&summary["bank"]), text(&bank), "{place}");
        } else {
            assert_eq!(bytes(&folder).0, torn, "{place}: {}", said.stderr);
            let message = said.refused(1);
            assert!(message.contains("small.sqlite") || message.contains("run state"), "{place}: {message}");
            refusals += 1;
        }
    };
    for length in [0, 50, 4_096, sound.len() / 2, sound.len() - 1] {
        try_torn(&sound[..length], &format!("cut at {length}"));
    }
    let mut random = fastrand::Rng::with_seed(20_260_610);
    for _ in 0..40 {
        let (at, bit) = (random.usize(..sound.len()), random.u8(..8));
        let mut torn = sound.clone();
        torn[at] ^= 1 << bit;
        try_torn(&torn, &format!("bit {bit} of byte {at} flipped"));
    }
    println!("{refusals} of 45 torn stores were refused, the others give the same bank");
    assert!(refusals >= 5 + 4, "every cut and some flips are noticed, {refusals}");
}
