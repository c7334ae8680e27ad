//! The repository's own files: what git tracks, and what it would track.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The files of the working tree, by their path relative to the repository's root.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    files: BTreeSet<String>,
}

impl Repository {
    /// The repository that this crate stands in.
    ///
    /// # Errors
    /// When git cannot list the files.
    pub fn open() -> Result<Self> {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().context("find the root")?;
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&root)
            .output()
            .context("list the files with `git ls-files`; install git")?;
        ensure!(
            output.status.success(),
            "`git ls-files` failed; run the tests in a clone: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let listed = String::from_utf8(output.stdout).context("a file's name is not UTF-8; rename it")?;
        let files: BTreeSet<String> = listed
            .split_terminator('\0')
            .filter(|path| root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        ensure!(
            files.contains("Cargo.toml"),
            "git lists no Cargo.toml; run the tests in a clone of the repository"
        );
        Ok(Self { root, files })
    }

    /// The root folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file, in order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Whether a path is one of the files, or a folder of some.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains(path)
            || self.files.iter().any(|file| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    }

    /// A file's text; `None` where it is missing or not UTF-8.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }
}
