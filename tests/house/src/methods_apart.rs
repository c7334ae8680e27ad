//! One method never imports another: what they share moves down to `memory` or `agents`.

use std::collections::BTreeSet;

use crate::source::SourceFile;
use crate::violation::Violation;

/// The crate of the methods.
pub const METHODS: &str = "shared/methods";

/// The one folder beside the methods that is none: it measures what any of them has made. No method may
/// name it.
pub const MEASURES: &str = "evaluation_run";

/// Files of one method that name another one.
#[must_use]
pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let in_a_method = || files.iter().filter_map(|file| Some((file, method(file)?)));
    let methods: BTreeSet<&str> = in_a_method().map(|(_, method)| method).collect();
    let mut found = Vec::new();
    for (file, own) in in_a_method() {
        for mention in &file.facts.paths {
            let mut segments = mention.name.split("::");
            let (first, second) = (segments.next(), segments.next());
            let Some(other) = second.filter(|other| first == Some("crate") && methods.contains(other)) else {
                continue;
            };
            if other != own && own != MEASURES {
                found.push(Violation::new(
                    format!("{}:{}", file.path, mention.line),
                    format!("one method never imports another, and {own} names {}", mention.name),
                    "move what they share down to `memory` or `agents`",
                ));
            }
        }
    }
    found
}

/// The method whose folder a file is in.
fn method(file: &SourceFile) -> Option<&str> {
    let inside = file.path.strip_prefix(METHODS)?.strip_prefix("/src/")?;
    inside.split_once('/').map(|(method, _)| method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::facts;

    fn file(module: &[&str], text: &str) -> SourceFile {
        let module: Vec<String> = module.iter().map(ToString::to_string).collect();
        SourceFile {
            path: format!("{METHODS}/src/{}.rs", module.join("/")),
            crate_folder: METHODS.to_owned(),
            test: false,
            facts: facts(text, &module).unwrap(),
            module,
        }
    }

    #[test]
    fn what_measures_may_name_any_method_and_is_named_by_none() {
        let (method, measures) = (file(&["contramem", "run"], ""), file(&[MEASURES, "plan"], ""));
        let above = file(&[MEASURES, "plan"], "use crate::contramem::run::f;");
        assert_eq!(check(&[above, method]), []);
        let below = file(&["contramem", "run"], "use crate::evaluation_run::f;");
        assert_eq!(check(&[below, measures]).len(), 1);
    }

    #[test]
    fn a_method_that_names_another_is_found_however_it_is_written() {
        let other = file(&["daedalus", "judge"], "");
        for text in ["use crate::daedalus::judge::f;", "fn f() { super::super::daedalus::judge::g(); }"] {
            let found = check(&[file(&["contramem", "curator"], text), other.clone()]);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
        }
        let innocent =
            "use crate::contramem::focus; use crate::catalogue::X; use palaestra_memory::daedalus;";
        assert_eq!(check(&[file(&["contramem", "curator"], innocent), other]), []);
    }
}
