//! Answer keys stay out of the episode, and so does whatever else is on the machine.

use std::process::Command;

use palaestra_environments::appworld::HeldOut;

use crate::support::{Stage, quoted};

/// The package's own ways to an answer lead into a tree without keys.
#[tokio::test]
async fn the_package_itself_finds_no_key() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let task = stage.task("playlistsize_1");
    stage.begin(&task).await;
    for code in [
        "from appworld.task import Task\nprint(Task.load('playlistsize_1').ground_truth.answer)",
        "from appworld.ground_truth import GroundTruth\nprint(GroundTruth.load('playlistsize_1').answer)",
        "from pathlib import Path\nprint(Path('data/tasks/playlistsize_1/ground_truth/answer.json').read_text())",
    ] {
        let output = stage.cell(code).await;
        assert!(
            output.starts_with("Execution failed") && output.contains("exist")
                || output.contains("No such file"),
            "{output}"
        );
    }
    let seen = stage.cell("import os\nprint(sorted(os.environ))").await;
    for secret in ["KEY", "TOKEN", "SECRET", "PALAESTRA"] {
        assert!(!seen.contains(secret), "{seen}");
    }
}

/// Asks the kernel for the version of its rules.
fn has_landlock() -> bool {
    let ask = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1))";
    let output = Command::new("python3").args(["-c", ask]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse::<i64>().unwrap() > 0
}

/// By the kernel's rules, where it has them.
#[tokio::test]
async fn files_outside_of_the_episode_cannot_be_read_nor_other_processes_be_reached() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let task = stage.task("playlistsize_1");
    stage.begin(&task).await;
    if !has_landlock() {
        println!("skipped: this kernel has no Landlock");
        return;
    }
    let key = stage.key(&task, "answer.json");
    assert!(key.is_file());
    let read = |path: &str| format!("from pathlib import Path\nprint(Path({path}).read_text())");
    for path in [quoted(&key), "'/proc/self/environ'".to_owned(), "'/proc/1/cmdline'".to_owned()] {
        let output = stage.cell(&read(&path)).await;
        assert!(output.contains("PermissionError"), "{path}: {output}");
    }
    // The parent survives a signal that the kernel does not let through.
    stage.cell("import os\ngetattr(os, 'ki' + 'll')(os.getppid(), 9)").await;
    assert_eq!(stage.cell("print(1)").await, "1\n");
}
