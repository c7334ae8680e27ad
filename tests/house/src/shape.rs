//! The shape of files: how long they are, how they open, and that `mod.rs` only declares.

use crate::source::{SourceFile, TopLevel};
use crate::violation::Violation;

/// Most lines of a source file, tests included.
const MOST_LINES: usize = 400;

/// Most lines of a `main.rs`.
const MOST_LINES_OF_MAIN: usize = 40;

/// Files called `mod.rs` or `lib.rs` that may have a body, and why.
const MAY_HAVE_A_BODY: &[(&str, &str)] = &[(
    "shared/methods/src/contramem/miner/mod.rs",
    "the miner is one of several construction models: here it forwards the shared trait to its steps",
)];

/// Source files that are too long.
#[must_use]
pub fn too_long(path: &str, text: &str) -> Option<Violation> {
    let most = if path.ends_with("/main.rs") { MOST_LINES_OF_MAIN } else { MOST_LINES };
    let lines = text.lines().count();
    (is_source(path) && lines > most).then(|| {
        Violation::new(
            path,
            format!("{lines} lines, and {most} are the limit"),
            "give a part a file of its own",
        )
    })
}

/// Rust files that do not open with what they are for.
#[must_use]
pub fn opens_without_purpose(path: &str, text: &str) -> Option<Violation> {
    (path.ends_with(".rs") && !text.starts_with("//!")).then(|| {
        Violation::new(
            path,
            "a module opens with what it is for",
            "let the first line be `//! ...`: what for, what it never does, the paper's section",
        )
    })
}

/// `mod.rs` and `lib.rs` files that do more than declare and re-export, and exemptions without need.
#[must_use]
pub fn bodies_in_declarations(files: &[SourceFile]) -> Vec<Violation> {
    let mut found = Vec::new();
    let with_body = |file: &&SourceFile| body(file).is_some();
    for file in files.iter().filter(|file| !file.test).filter(with_body) {
        let exempt = MAY_HAVE_A_BODY.iter().any(|(path, _)| *path == file.path);
        if !exempt {
            found.push(Violation::new(
                format!("{}:{}", file.path, body(file).unwrap_or_default()),
                "mod.rs and lib.rs only declare and re-export",
                "move the item into a file that is named after it",
            ));
        }
    }
    for (path, _) in MAY_HAVE_A_BODY {
        if !files.iter().filter(with_body).any(|file| file.path == *path) {
            let remedy = format!("take {path} off the list in tests/house/src/shape.rs");
            found.push(Violation::new(*path, "an exemption that nothing needs", remedy));
        }
    }
    found
}

/// The line of the first item with a body in a file that should only declare.
fn body(file: &SourceFile) -> Option<usize> {
    let declares = file.path.ends_with("/mod.rs") || file.path.ends_with("/lib.rs");
    let mut bodies = file.facts.items.iter().filter_map(|item| match item {
        TopLevel::Body { line, test: false } => Some(*line),
        _ => None,
    });
    if declares { bodies.next() } else { None }
}

fn is_source(path: &str) -> bool {
    path.ends_with(".rs") || path.ends_with(".py")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::facts;

    #[test]
    fn length_is_counted_in_lines_and_main_has_a_shorter_limit() {
        assert_eq!(too_long("a/src/x.rs", &"x\n".repeat(400)), None);
        for (path, lines) in [("a/src/x.rs", 401), ("a/x.py", 401), ("cli/src/main.rs", 41)] {
            assert!(too_long(path, &"x\n".repeat(lines)).is_some(), "{path}");
        }
        assert_eq!(too_long("a/notes.md", &"x\n".repeat(1000)), None);
    }

    #[test]
    fn a_file_without_a_purpose_is_found() {
        assert_eq!(opens_without_purpose("a.rs", "//! For this.\n"), None);
        assert!(opens_without_purpose("a.rs", "use std::fmt;\n//! late\n").is_some());
    }

    #[test]
    fn a_declaring_file_may_not_have_a_body() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.to_owned(),
            crate_folder: "a".to_owned(),
            module: Vec::new(),
            test: false,
            facts: facts(text, &[]).unwrap(),
        };
        let exempted = file(MAY_HAVE_A_BODY[0].0, "struct X;");
        let declaring =
            "//! X.\nmod a;\npub use a::B;\nconst N: u8 = 1;\n#[cfg(test)]\nmod tests { fn f() {} }";
        assert_eq!(bodies_in_declarations(&[file("a/src/mod.rs", declaring), exempted.clone()]), []);
        for text in ["fn f() {}", "struct S;", "enum E {}", "impl S {}", "mod inline { fn f() {} }"] {
            assert_eq!(
                bodies_in_declarations(&[file("a/src/lib.rs", text), exempted.clone()]).len(),
                1,
                "{text}"
            );
        }
        assert_eq!(bodies_in_declarations(&[]).len(), 1, "an exemption without need is found");
    }
}
