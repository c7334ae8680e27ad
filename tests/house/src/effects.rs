//! Invariants of absence in the sources: who reads the clock, spawns, starts a process, prints.

use crate::arrows::PURE;
use crate::source::{Mention, SourceFile};
use crate::violation::Violation;

/// Paths that only some crates may name in code that ships.
struct Owned {
    rule: &'static str,
    paths: &'static [&'static str],
    owner: &'static str,
    remedy: &'static str,
}

const OWNED: &[Owned] = &[
    Owned {
        rule: "only `runtime` reads the clock",
        paths: &[
            "std::time::Instant::now",
            "std::time::SystemTime::now",
            "tokio::time::Instant::now",
            "jiff::Timestamp::now",
            "jiff::Zoned::now",
        ],
        owner: "shared/runtime",
        remedy: "take a `palaestra_runtime::Clock`",
    },
    Owned {
        rule: "only `runtime` spawns a task",
        paths: &[
            "tokio::spawn",
            "tokio::task::JoinSet",
            "tokio::task::spawn",
            "tokio::task::spawn_blocking",
            "tokio::task::spawn_local",
        ],
        owner: "shared/runtime",
        remedy: "use `palaestra_runtime::tasks`, or await the futures together",
    },
    Owned {
        rule: "only `environments` starts a process",
        paths: &["std::process::Command", "tokio::process"],
        owner: "shared/environments",
        remedy: "add a launcher there",
    },
];

/// What a pure crate may not name.
const IMPURE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// Parts of other crates that are as pure as the pure crates, and know neither stores nor tasks.
pub const PURE_PLACES: &[&str] =
    &["coordinator/src/state/", "coordinator/src/schedule.rs", "coordinator/src/curation/sequencer.rs"];

/// What a pure place may not name beside that.
const WAITING: &[&str] = &["futures", "palaestra_runtime", "palaestra_store", "tokio"];

/// Macros that print.
const PRINTING: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

/// Effects outside the crate that owns them.
#[must_use]
pub fn stolen_effects(files: &[SourceFile]) -> Vec<Violation> {
    let mut found = Vec::new();
    for owned in OWNED {
        for file in shipped(files).filter(|file| file.crate_folder != owned.owner) {
            let bad = file.facts.paths.iter().filter(|mention| is_below(&mention.name, owned.paths));
            found.extend(bad.map(|mention| violation(file, mention, owned.rule, owned.remedy)));
        }
    }
    found
}

/// Pure crates that name the clock, files, the network, the process or threads.
#[must_use]
pub fn impure(files: &[SourceFile]) -> Vec<Violation> {
    let pure = shipped(files).filter(|file| PURE.contains(&file.crate_folder.as_str()));
    pure.flat_map(|file| {
        let bad = file.facts.paths.iter().filter(|mention| is_below(&mention.name, IMPURE));
        bad.map(|mention| {
            violation(file, mention, "a pure crate has no effects", "let the caller hand in the value")
        })
    })
    .collect()
}

/// Pure parts of other crates that name what a pure crate may not, or a store, or a task.
#[must_use]
pub fn impure_places(files: &[SourceFile]) -> Vec<Violation> {
    let pure = |file: &&SourceFile| PURE_PLACES.iter().any(|place| file.path.starts_with(place));
    shipped(files)
        .filter(pure)
        .flat_map(|file| {
            let named =
                |mention: &&Mention| is_below(&mention.name, IMPURE) || is_below(&mention.name, WAITING);
            let bad = file.facts.paths.iter().filter(named);
            bad.map(|mention| {
                violation(file, mention, "a pure place has no effects", "let the caller hand in the value")
            })
        })
        .collect()
}

/// Printing outside `cli` and the `main.rs` files.
#[must_use]
pub fn printing(files: &[SourceFile]) -> Vec<Violation> {
    let silent = shipped(files).filter(|file| file.crate_folder != "cli" && !file.path.ends_with("/main.rs"));
    silent
        .flat_map(|file| {
            let bad = file.facts.macros.iter().filter(|mention| PRINTING.contains(&mention.name.as_str()));
            bad.map(|mention| {
                violation(
                    file,
                    mention,
                    "only `cli` and main.rs print",
                    "return the text, or log it with `tracing`",
                )
            })
        })
        .collect()
}

/// What ships: neither tests nor this crate, which starts git and cargo.
fn shipped(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files.iter().filter(|file| !file.test && !file.crate_folder.starts_with("tests/"))
}

fn is_below(name: &str, paths: &[&str]) -> bool {
    paths
        .iter()
        .any(|path| name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")))
}

fn violation(file: &SourceFile, mention: &Mention, rule: &str, remedy: &str) -> Violation {
    Violation::new(
        format!("{}:{}", file.path, mention.line),
        format!("{rule}, and here is {}", mention.name),
        remedy,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::facts;

    fn file(crate_folder: &str, text: &str) -> [SourceFile; 1] {
        [SourceFile {
            path: format!("{crate_folder}/src/x.rs"),
            crate_folder: crate_folder.to_owned(),
            module: vec!["x".to_owned()],
            test: false,
            facts: facts(text, &["x".to_owned()]).unwrap(),
        }]
    }

    #[test]
    fn effects_are_found_outside_their_owner_only() {
        let clock = "use std::time::Instant;\nfn f() { Instant::now(); }";
        assert_eq!(stolen_effects(&file("shared/runtime", clock)), []);
        let found = stolen_effects(&file("shared/store", clock));
        assert_eq!(found[0].place, "shared/store/src/x.rs:2");
        for stolen in ["tokio::spawn(x)", "std::process::Command::new(x)", "tokio::process::Command::new(x)"]
        {
            assert_eq!(
                stolen_effects(&file("shared/agents", &format!("fn f() {{ {stolen}; }}"))).len(),
                1,
                "{stolen}"
            );
        }
    }

    #[test]
    fn a_pure_crate_may_name_a_duration_but_not_an_instant() {
        assert_eq!(impure(&file("shared/memory", "use std::time::Duration;")), []);
        assert_eq!(impure(&file("shared/memory", "use std::{time::Instant, env};")).len(), 2);
        assert_eq!(impure(&file("shared/store", "use std::fs;")), []);
    }

    #[test]
    fn a_pure_place_may_not_wait_and_its_neighbours_may() {
        for effect in ["use tokio::sync::mpsc;", "use palaestra_store::Store;", "use std::fs;"] {
            let mut file = file("coordinator", effect);
            assert_eq!(impure_places(&file), [], "{effect} beside the pure places");
            file[0].path = "coordinator/src/state/x.rs".to_owned();
            assert_eq!(impure_places(&file).len(), 1, "{effect}");
        }
    }

    #[test]
    fn printing_is_for_the_command_line() {
        let text = "fn f() { let _ = vec![println!()]; eprintln!(); }";
        assert_eq!(printing(&file("shared/agents", text)).len(), 2);
        assert_eq!(printing(&file("cli", text)), []);
    }
}
