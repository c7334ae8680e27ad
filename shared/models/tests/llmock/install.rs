//! The judge's installation: a virtual environment below the target folder, of exactly one lock.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use palaestra_domain::Digest;

const LOCK: &str = include_str!("requirements.lock");

/// The program; says so where it is not installed.
pub(crate) fn installed() -> Option<PathBuf> {
    let program = folder().join("bin/llmock");
    if folder().join("complete").exists() {
        return Some(program);
    }
    println!("skipped: llmock is not installed; PALAESTRA_TEST_INSTALL=1 lets this test install it");
    None
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("llmock-{}", Digest::of(LOCK.as_bytes()).short()))
}

fn run(program: &Path, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{} {arguments:?}: {}",
        program.display(),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_judge_can_be_installed() {
    if std::env::var_os("PALAESTRA_TEST_INSTALL").is_none() {
        installed();
        return;
    }
    let folder = folder();
    if folder.join("complete").exists() {
        return;
    }
    // What an interrupted installation left behind is made anew.
    run(Path::new("python3"), &["-m", "venv", "--clear", folder.to_str().unwrap()]);
    let lock = folder.join("requirements.lock");
    fs::write(&lock, LOCK).unwrap();
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let strict = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", lock.to_str().unwrap()];
    run(&folder.join("bin/python"), &[quiet.as_slice(), strict.as_slice()].concat());
    fs::write(folder.join("complete"), "").unwrap();
}
