//! What can be said about owners and addresses without an engine.

use std::process::Command;

use super::address::candidates;
use super::engine::ContainerEngine;
use super::error::DockerError;
use super::owner::{Life, Owner};

#[test]
fn an_owner_survives_its_label_and_is_alive_until_its_process_ends() {
    let this = Owner::this();
    assert_eq!(Owner::of_label(&this.label()), Some(this.clone()));
    assert_eq!(this.life(), Life::Alive);
    assert_eq!(Owner::of_label("not/an/owner"), None);

    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    let mut parts: Vec<String> = this.label().split('/').map(str::to_owned).collect();
    let own_start = parts[3].clone();
    parts[2] = child.id().to_string();
    // The number belongs to another process now: it started at another time, or it has ended.
    let reused = Owner::of_label(&parts.join("/")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(reused.life(), Life::Dead);
    parts[2] = std::process::id().to_string();
    parts[3] = format!("{own_start}1");
    assert_eq!(Owner::of_label(&parts.join("/")).unwrap().life(), Life::Dead);
    parts[0] = "another-boot".to_owned();
    assert_eq!(Owner::of_label(&parts.join("/")).unwrap().life(), Life::Elsewhere);
}

#[test]
fn a_named_engine_is_the_only_one_tried() {
    let variables = |name: &str| match name {
        "DOCKER_HOST" => Some("tcp://127.0.0.1:2375".to_owned()),
        _ => Some("/somewhere".to_owned()),
    };
    assert_eq!(candidates(variables), ["tcp://127.0.0.1:2375"]);
    let usual = candidates(|name| (name == "XDG_RUNTIME_DIR").then(|| "/run/user/1".to_owned()));
    let expected = [
        "/var/run/docker.sock",
        "/run/user/1/docker.sock",
        "/run/user/1/podman/podman.sock",
        "/run/podman/podman.sock",
    ];
    assert_eq!(usual, expected.map(|path| format!("unix://{path}")));
}

#[tokio::test]
async fn without_an_engine_the_error_says_what_was_tried_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let missing = format!("unix://{}/no.sock", folder.path().display());
    let deaf = folder.path().join("plain-file");
    std::fs::write(&deaf, "").unwrap();
    let deaf = format!("unix://{}", deaf.display());
    let refused = ContainerEngine::first(&[missing.clone(), deaf.clone()]).await;
    let error = refused.err().unwrap();
    assert!(matches!(error, DockerError::NoEngine { .. }));
    let text = error.to_string();
    for part in [missing.as_str(), deaf.as_str(), "DOCKER_HOST", "onnection refused"] {
        assert!(text.contains(part), "{text}");
    }
}
