//! One lint table and one version per dependency: every crate inherits both from the workspace.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use toml::{Table, Value};

use crate::violation::Violation;

/// The tables of a manifest that name dependencies.
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Checks the root manifest against those of its members (path and text).
///
/// # Errors
/// When a manifest is not TOML.
pub fn check(root: &str, members: &[(String, String)]) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for (path, text) in members {
        let manifest: Table = text.parse().with_context(|| format!("read {path}"))?;
        if !inherits(manifest.get("lints")) {
            found.push(Violation::new(
                path,
                "every crate has the workspace's lints",
                "add `[lints] workspace = true`",
            ));
        }
        for (name, value) in dependencies(&manifest) {
            used.insert(name.clone());
            if !inherits(Some(value)) {
                found.push(Violation::new(
                    path,
                    format!("{name} does not come from the workspace"),
                    format!("put its version into the root Cargo.toml and write `{name}.workspace = true`"),
                ));
            }
        }
    }
    let root: Table = root.parse().context("read Cargo.toml")?;
    let offered =
        root.get("workspace").and_then(|workspace| workspace.get("dependencies")).and_then(Value::as_table);
    for name in offered.into_iter().flat_map(Table::keys).filter(|name| !used.contains(*name)) {
        found.push(Violation::new(
            "Cargo.toml",
            format!("no crate uses {name}"),
            "remove it from [workspace.dependencies]",
        ));
    }
    Ok(found)
}

fn inherits(value: Option<&Value>) -> bool {
    value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
}

/// Every dependency of a manifest, those for one target included.
fn dependencies(manifest: &Table) -> Vec<(&String, &Value)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table).chain([manifest]);
    tables
        .flat_map(|table| DEPENDENCY_TABLES.iter().filter_map(|name| table.get(*name)?.as_table()))
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "[workspace.dependencies]\nserde = \"1\"\n";

    fn problems(member: &str) -> Vec<String> {
        let members = [("a/Cargo.toml".to_owned(), member.to_owned())];
        check(ROOT, &members).unwrap().iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_crate_that_inherits_everything_passes() {
        assert!(problems("[lints]\nworkspace = true\n[dependencies]\nserde.workspace = true\n").is_empty());
    }

    #[test]
    fn own_versions_own_lints_and_unused_dependencies_are_found() {
        let found = problems("[target.'cfg(unix)'.dev-dependencies]\nserde = \"1\"\n");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("lints") && found[1].contains("serde does not come from the workspace"));
        let found = problems("[lints]\nworkspace = true\n");
        assert!(found.len() == 1 && found[0].contains("no crate uses serde"), "{found:?}");
    }
}
