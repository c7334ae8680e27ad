//! Environments in containers, as far as the command goes: without an engine it says what to do. With one
//! (`scripts/with-docker`) it finds nothing left behind.

use std::process::{Command, Output};

use crate::support::Folder;

fn say(folder: &Folder, arguments: &[&str], launcher: &str, engine: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palaestra"));
    command.args(arguments).current_dir(folder.path()).env_remove("RUST_LOG");
    command
        .env("PALAESTRA_HOME", folder.path())
        .env("PALAESTRA_LAUNCHER", launcher)
        .env("DOCKER_HOST", engine);
    command.output().unwrap()
}

#[test]
fn without_an_engine_the_command_says_what_was_tried() {
    let folder = Folder::new();
    let engine = format!("unix://{}/no.sock", folder.path().display());
    for arguments in [&["env", "reap"][..], &["env", "build", "tau2", "--base", "python:3.12"]] {
        let output = say(&folder, arguments, "", &engine);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        for part in [engine.as_str(), "DOCKER_HOST", "start Docker or Podman"] {
            assert!(stderr.contains(part), "{stderr}");
        }
    }
    let output = say(&folder, &["env", "build", "tau3", "--base", "python:3.12"], "", &engine);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8(output.stderr).unwrap().contains("choose one of"));
}

#[test]
fn the_doctor_wants_an_engine_only_where_containers_are_chosen() {
    let folder = Folder::new();
    let engine = format!("unix://{}/no.sock", folder.path().display());
    for (launcher, code, part) in [
        ("", 0, "need none"),
        ("process", 0, "need none"),
        ("docker", 3, "DOCKER_HOST"),
        ("boat", 3, "`docker`"),
    ] {
        let output = say(&folder, &["doctor"], launcher, &engine);
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{launcher}: {stdout}");
        assert!(stdout.lines().any(|line| line.contains("containers: ") && line.contains(part)), "{stdout}");
    }
}

#[test]
fn an_engine_that_answers_is_told_and_nothing_is_left_in_it() {
    let Ok(engine) = std::env::var("DOCKER_HOST") else {
        println!("skipped: no DOCKER_HOST (scripts/with-docker starts an engine)");
        return;
    };
    let folder = Folder::new();
    let output = say(&folder, &["doctor"], "docker", &engine);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && stdout.contains(&engine), "{stdout}");
    let output = say(&folder, &["--output", "json", "env", "reap"], "docker", &engine);
    let reaped: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(reaped.iter().all(|container| container["container"].is_string()), "{reaped:?}");
}
