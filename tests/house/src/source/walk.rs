//! From a crate's root file to every file that its `mod` declarations reach.

use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{MetadataCommand, TargetKind};

use super::facts::{Facts, TopLevel, facts};
use crate::repository::Repository;

/// One Rust file of a crate.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its path, relative to the repository's root.
    pub path: String,
    /// Its crate's folder.
    pub crate_folder: String,
    /// Its module path within the crate; empty for the root.
    pub module: Vec<String>,
    /// Whether only tests and benches see it.
    pub test: bool,
    /// What it says.
    pub facts: Facts,
}

/// Every file of every crate, in the order of the declarations.
///
/// # Errors
/// When cargo cannot read the workspace or a file is not Rust.
pub fn sources(repository: &Repository) -> Result<Vec<SourceFile>> {
    let root = repository.root();
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("read the workspace with `cargo metadata`")?;
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let mut files = Vec::new();
    for package in &metadata.packages {
        let folder =
            package.manifest_path.parent().map(|folder| relative(folder.as_std_path())).unwrap_or_default();
        for target in &package.targets {
            let ships = target.kind.iter().any(|kind| matches!(kind, TargetKind::Lib | TargetKind::Bin));
            let start = relative(target.src_path.as_std_path());
            walk(&start, &folder, !ships, &|path| repository.text(path), &mut files)?;
        }
    }
    Ok(files)
}

/// Adds the file at `start`, a crate's root, and every file below it. A declared file that is not
/// there is left to the compiler.
///
/// # Errors
/// When a file is not Rust.
pub fn walk(
    start: &str,
    crate_folder: &str,
    test: bool,
    read: &dyn Fn(&str) -> Option<String>,
    files: &mut Vec<SourceFile>,
) -> Result<()> {
    let mut waiting = vec![(start.to_owned(), Vec::<String>::new(), test)];
    while let Some((path, module, test)) = waiting.pop() {
        let Some(text) = read(&path) else { continue };
        let facts = facts(&text, &module).with_context(|| format!("parse {path}"))?;
        let below = folder_of_children(&path, module.is_empty());
        for item in facts.items.iter().rev() {
            let TopLevel::File { name, test: only_tests } = item else { continue };
            let candidates = [format!("{below}/{name}.rs"), format!("{below}/{name}/mod.rs")];
            let child = candidates.into_iter().find(|path| read(path).is_some());
            waiting
                .extend(child.map(|child| {
                    (child, [module.clone(), vec![name.clone()]].concat(), test || *only_tests)
                }));
        }
        files.push(SourceFile { path, crate_folder: crate_folder.to_owned(), module, test, facts });
    }
    Ok(())
}

/// Where the files of a module's children are.
fn folder_of_children(path: &str, is_root: bool) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    if is_root || path.ends_with("/mod.rs") {
        folder.to_owned()
    } else {
        path.trim_end_matches(".rs").to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn files_are_found_through_their_declarations_and_know_whether_they_ship() {
        let tree = BTreeMap::from([
            ("a/src/lib.rs", "mod b;\nmod c;\nmod gone;"),
            ("a/src/b.rs", "mod d;\n#[cfg(test)] mod tests;"),
            ("a/src/b/d.rs", ""),
            ("a/src/b/tests.rs", "mod deep;"),
            ("a/src/b/tests/deep.rs", ""),
            ("a/src/c/mod.rs", ""),
        ]);
        let mut files = Vec::new();
        walk("a/src/lib.rs", "a", false, &|path| tree.get(path).map(ToString::to_string), &mut files)
            .unwrap();
        let found: Vec<(&str, String, bool)> =
            files.iter().map(|file| (file.path.as_str(), file.module.join("::"), file.test)).collect();
        let expected = [
            ("a/src/lib.rs", "", false),
            ("a/src/b.rs", "b", false),
            ("a/src/b/d.rs", "b::d", false),
            ("a/src/b/tests.rs", "b::tests", true),
            ("a/src/b/tests/deep.rs", "b::tests::deep", true),
            ("a/src/c/mod.rs", "c", false),
        ];
        assert_eq!(found, expected.map(|(path, module, test)| (path, module.to_owned(), test)));
    }
}
