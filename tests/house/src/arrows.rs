//! Which crate may depend on which: arrows point down the house only.

use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::violation::Violation;

/// Each crate's floor. A crate may depend on crates of lower floors, never on its own or a higher one.
const FLOORS: &[(&str, u8)] = &[
    ("shared/domain", 0),
    ("shared/runtime", 1),
    ("proto", 2),
    ("shared/memory", 2),
    ("shared/evaluation", 2),
    ("shared/store", 2),
    ("shared/models", 3),
    ("shared/environments", 3),
    ("shared/agents", 4),
    ("shared/methods", 5),
    ("tests/model-server", 5),
    ("coordinator", 6),
    ("worker", 6),
    ("cli", 7),
    ("k8s/operator", 7),
];

/// Whole-system tests stand above everything, and nothing depends on them.
const TESTS_FLOOR: u8 = 9;

/// The crates whose functions depend on their arguments alone.
pub const PURE: &[&str] = &["shared/domain", "shared/memory", "shared/evaluation"];

/// What a pure crate may not depend on: runtimes, connections, databases, randomness.
const IMPURE_DEPENDENCIES: &[&str] = &[
    "palaestra-runtime",
    "async-trait",
    "axum",
    "fastrand",
    "futures",
    "getrandom",
    "nanorand",
    "oorandom",
    "rand",
    "rand_chacha",
    "rand_core",
    "redis",
    "reqwest",
    "rusqlite",
    "tokio",
    "tokio-util",
    "ulid",
    "uuid",
];

/// Dependencies that belong to one crate, and why.
const OWNED_DEPENDENCIES: &[(&str, &str, &str)] = &[
    ("reqwest", "shared/models", "only `models` opens a connection to a model"),
    ("rusqlite", "shared/store", "only `store` knows how state is kept"),
    ("fastrand", "shared/runtime", "only `runtime` draws random numbers"),
];

/// A crate of the workspace, as far as arrows are concerned.
#[derive(Debug, Clone)]
pub struct Crate {
    /// The package's name.
    pub name: String,
    /// Its folder, relative to the root.
    pub folder: String,
    /// Everything that it depends on.
    pub dependencies: Vec<Dependency>,
}

/// One dependency of a crate.
#[derive(Debug, Clone)]
pub struct Dependency {
    /// The package's name.
    pub name: String,
    /// Its folder, when it is a crate of this workspace.
    pub folder: Option<String>,
    /// Whether only tests and benches see it.
    pub dev: bool,
}

/// The workspace's crates, as `cargo metadata` tells them.
///
/// # Errors
/// When cargo cannot read the workspace.
pub fn crates(root: &Path) -> Result<Vec<Crate>> {
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("read the workspace with `cargo metadata`")?;
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let crates = metadata.packages.iter().map(|package| Crate {
        name: package.name.to_string(),
        folder: package
            .manifest_path
            .parent()
            .map(|folder| relative(folder.as_std_path()))
            .unwrap_or_default(),
        dependencies: package
            .dependencies
            .iter()
            .map(|dependency| Dependency {
                name: dependency.name.clone(),
                folder: dependency.path.as_ref().map(|path| relative(path.as_std_path())),
                dev: dependency.kind == DependencyKind::Development,
            })
            .collect(),
    });
    Ok(crates.collect())
}

fn floor(folder: &str) -> Option<u8> {
    let known = FLOORS.iter().find(|(known, _)| *known == folder).map(|(_, floor)| *floor);
    known.or_else(|| folder.starts_with("tests/").then_some(TESTS_FLOOR))
}

/// Arrows that point sideways or up, and crates without a floor.
#[must_use]
pub fn wrong_arrows(crates: &[Crate]) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in crates {
        let place = format!("{}/Cargo.toml", krate.folder);
        let Some(own) = floor(&krate.folder) else {
            found.push(Violation::new(
                place,
                "a crate without a floor",
                "give it one in tests/house/src/arrows.rs",
            ));
            continue;
        };
        for dependency in krate.dependencies.iter().filter(|dependency| dependency.name != krate.name) {
            let Some(folder) = &dependency.folder else { continue };
            let ships = !dependency.dev && !krate.folder.starts_with("tests/");
            if ships && folder.starts_with("tests/") {
                found.push(Violation::new(
                    place.clone(),
                    format!("{} ships, and {folder} is for tests", krate.folder),
                    "make it a dev-dependency",
                ));
            // A crate without a floor of its own is reported once, above.
            } else if floor(folder).is_some_and(|below| below >= own) {
                found.push(Violation::new(
                    place.clone(),
                    format!("arrows point down only, and {folder} is not below {}", krate.folder),
                    "move what is shared further down, or hand it in as a value",
                ));
            }
        }
    }
    found
}

/// Pure crates that depend on something impure.
#[must_use]
pub fn impure(crates: &[Crate]) -> Vec<Violation> {
    let pure = crates.iter().filter(|krate| PURE.contains(&krate.folder.as_str()));
    pure.flat_map(|krate| {
        let bad =
            krate.dependencies.iter().filter(|d| !d.dev && IMPURE_DEPENDENCIES.contains(&d.name.as_str()));
        bad.map(|dependency| {
            Violation::new(
                format!("{}/Cargo.toml", krate.folder),
                format!("a pure crate may not depend on {}", dependency.name),
                "let the caller hand in the value",
            )
        })
    })
    .collect()
}

/// Dependencies outside the one crate that may have them.
#[must_use]
pub fn stolen_dependencies(crates: &[Crate]) -> Vec<Violation> {
    let mut found = Vec::new();
    for (name, owner, why) in OWNED_DEPENDENCIES {
        for krate in crates.iter().filter(|krate| krate.folder != *owner) {
            if krate.dependencies.iter().any(|dependency| !dependency.dev && dependency.name == *name) {
                let place = format!("{}/Cargo.toml", krate.folder);
                found.push(Violation::new(
                    place,
                    format!("depends on {name}, but {why}"),
                    format!("ask {owner} for it"),
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn krate(folder: &str, dependencies: &[(&str, Option<&str>, bool)]) -> Crate {
        Crate {
            name: folder.replace("shared/", "palaestra-"),
            folder: folder.to_owned(),
            dependencies: dependencies
                .iter()
                .map(|(name, folder, dev)| Dependency {
                    name: (*name).to_owned(),
                    folder: folder.map(str::to_owned),
                    dev: *dev,
                })
                .collect(),
        }
    }

    #[test]
    fn arrows_up_and_sideways_are_found_and_arrows_down_are_not() {
        for (from, to, allowed) in [
            ("shared/memory", "shared/domain", true),
            ("shared/runtime", "shared/domain", true),
            ("shared/domain", "shared/runtime", false),
            ("shared/memory", "shared/store", false),
            ("shared/models", "shared/environments", false),
            ("shared/agents", "shared/methods", false),
            ("shared/store", "tests/house", false),
            ("tests/house", "cli", true),
            ("tests/system", "tests/model-server", true),
            ("shared/methods", "tests/model-server", false),
        ] {
            for dev in [false, true] {
                let found = wrong_arrows(&[krate(from, &[("palaestra-other", Some(to), dev)])]);
                assert_eq!(found.is_empty(), allowed, "{from} -> {to}: {found:?}");
            }
        }
        for (dev, violations) in [(true, 0), (false, 1)] {
            let krate = krate("cli", &[("palaestra-other", Some("tests/model-server"), dev)]);
            assert_eq!(wrong_arrows(&[krate]).len(), violations, "tests only");
        }
        assert_eq!(wrong_arrows(&[krate("shared/new", &[])]).len(), 1);
    }

    #[test]
    fn a_pure_crate_may_draw_random_numbers_in_its_tests_only() {
        assert_eq!(impure(&[krate("shared/memory", &[("tokio", None, false)])]).len(), 1);
        assert_eq!(impure(&[krate("shared/memory", &[("fastrand", None, true)])]), []);
        assert_eq!(impure(&[krate("shared/store", &[("tokio", None, false)])]), []);
    }

    #[test]
    fn a_connection_belongs_to_models() {
        assert_eq!(stolen_dependencies(&[krate("shared/models", &[("reqwest", None, false)])]), []);
        assert_eq!(stolen_dependencies(&[krate("shared/agents", &[("reqwest", None, false)])]).len(), 1);
    }
}
