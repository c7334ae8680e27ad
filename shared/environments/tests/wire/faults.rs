//! Every way of the counter to misbehave: an error in words, and nothing left behind.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use palaestra_environments::conformance::wait_until_gone;
use palaestra_environments::wire::{Pool, RefusalKind, WireEnvironment, WireSettings};
use palaestra_environments::{Environment, Error};

use crate::support::{Script, begun, counter, fault, launcher, python, task};

#[tokio::test]
async fn a_process_that_dies_leaves_its_last_words() {
    if !python() {
        return;
    }
    for (function, status, words) in
        [("die", "exit status: 3", ""), ("last_words", "exit status: 4", "the disk is full")]
    {
        let mut world = begun(WireSettings::default()).await;
        let error = fault(&mut world, function).await.unwrap_err();
        let Error::Dead { end, last_words, step: "act", .. } = &error else { panic!("{error}") };
        assert_eq!((end.as_str(), last_words.as_str()), (status, words));
        world.reset(&task("count/1"), 0).await.unwrap();
    }
}

#[tokio::test]
async fn a_process_that_does_not_hear_sigterm_is_killed() {
    if !python() {
        return;
    }
    let step = Duration::from_secs(3);
    let settings = WireSettings { step, grace: Duration::from_millis(100), ..WireSettings::default() };
    let mut world = begun(settings).await;
    let id = world.process_id().unwrap();
    let error = fault(&mut world, "deaf").await.unwrap_err();
    let Error::Stuck { end, deadline, .. } = &error else { panic!("{error}") };
    assert!(end.contains("signal: 9") && *deadline == step, "{error}");
    assert!(wait_until_gone(id).await.unwrap());
}

#[tokio::test]
async fn what_a_process_starts_goes_with_it() {
    if !python() {
        return;
    }
    let mut world = begun(WireSettings::default()).await;
    let group = world.process_id().unwrap();
    fault(&mut world, "child").await.unwrap();
    // The child keeps running when its parent dies by itself.
    assert!(matches!(fault(&mut world, "die").await, Err(Error::Dead { .. })));
    assert!(wait_until_gone(group).await.unwrap());
}

#[tokio::test]
async fn a_dropped_call_kills_its_process() {
    if !python() {
        return;
    }
    let pool = counter(WireSettings::default());
    let mut world = WireEnvironment::new(pool.clone(), Script::of(&[]));
    world.reset(&task("count/1"), 0).await.unwrap();
    let id = world.process_id().unwrap();
    let given_up = tokio::time::timeout(Duration::from_millis(300), fault(&mut world, "deaf")).await;
    assert!(given_up.is_err());
    drop(world);
    // Not even the pool keeps it: nobody knows what it would answer next.
    assert!(wait_until_gone(id).await.unwrap());
    drop(pool);
}

#[tokio::test]
async fn a_huge_result_is_refused_at_the_limit_and_taken_below_it() {
    if !python() {
        return;
    }
    let mut world = begun(WireSettings::default()).await;
    assert_eq!(fault(&mut world, "huge").await.unwrap().content.len(), 1 << 20);
    let mut world = begun(WireSettings { most_bytes: 1 << 20, ..WireSettings::default() }).await;
    let error = fault(&mut world, "huge").await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit, .. } if limit == 1 << 20), "{error}");
}

#[tokio::test]
async fn lines_outside_the_protocol_end_the_environment() {
    if !python() {
        return;
    }
    for (function, words) in [("garbage", "this is not JSON"), ("strangers_reply", "not about request 2")] {
        let mut world = begun(WireSettings::default()).await;
        let error = fault(&mut world, function).await.unwrap_err();
        assert!(matches!(error, Error::Garbled { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(world.process_id(), None);
    }
    let mut world = begun(WireSettings::default()).await;
    let error = fault(&mut world, "half_a_line").await.unwrap_err();
    assert!(matches!(&error, Error::Dead { end, .. } if end == "exit status: 5"), "{error}");
}

#[tokio::test]
async fn stray_prints_do_not_reach_the_protocol() {
    if !python() {
        return;
    }
    let mut world = begun(WireSettings::default()).await;
    assert_eq!(fault(&mut world, "print").await.unwrap().content, "printed");
}

#[tokio::test]
async fn text_that_is_no_text_is_noted() {
    if !python() {
        return;
    }
    let mut world = begun(WireSettings::default()).await;
    assert_eq!(fault(&mut world, "surrogate").await.unwrap().content, "smile \u{fffd} lost");
    let notes = world.take_notes();
    assert!(notes.len() == 1 && notes.iter().all(|note| note.contains("lone surrogate")), "{notes:?}");
    assert!(world.take_notes().is_empty());
    assert_eq!(fault(&mut world, "latin1").await.unwrap().content, "caf\u{fffd}");
    assert!(world.take_notes().iter().all(|note| note.contains("not UTF-8")));
}

#[tokio::test]
async fn a_failure_inside_the_world_is_told_and_survived() {
    if !python() {
        return;
    }
    let mut world = begun(WireSettings::default()).await;
    let error = fault(&mut world, "crash").await.unwrap_err();
    let Error::Refused { kind: RefusalKind::Failed, message, .. } = &error else { panic!("{error}") };
    assert_eq!(message, "ZeroDivisionError: division by zero");
    assert_eq!(fault(&mut world, "get").await.unwrap().content, "0 []");
}

#[tokio::test]
async fn only_the_right_environment_is_talked_to() {
    let hello = |text: &str| {
        let launcher = launcher("sh", &["-c", "printf '%s\\n' \"$0\"; read -r line", text]);
        Pool::new("counter", Box::new(launcher), WireSettings::default(), 1)
    };
    for (text, found) in [
        (r#"{"hello":{"protocol":"palaestra-environment","version":2,"name":"counter"}}"#, "version 2"),
        (r#"{"hello":{"protocol":"palaestra-environment","version":1,"name":"other"}}"#, "greets as other"),
        (r#"{"hello":{"protocol":"telnet","version":1,"name":"counter"}}"#, "telnet"),
    ] {
        let error = WireEnvironment::new(hello(text), Script::of(&[])).describe().await.unwrap_err();
        assert!(matches!(error, Error::WrongHello { .. }) && error.to_string().contains(found), "{error}");
    }
    let error = WireEnvironment::new(hello("Welcome!"), Script::of(&[])).describe().await.unwrap_err();
    assert!(error.to_string().contains("Welcome!"), "{error}");
}

#[tokio::test]
async fn an_environment_that_does_not_come_up_says_why() {
    let open = |program: &str, arguments: &[&str]| {
        let start = if program == "sleep" { Duration::from_millis(200) } else { Duration::from_secs(60) };
        let settings = WireSettings { start, ..WireSettings::default() };
        let pool = Pool::new("counter", Box::new(launcher(program, arguments)), settings, 1);
        WireEnvironment::new(pool, Script::of(&[]))
    };
    let error = open("no-such-program", &[]).describe().await.unwrap_err();
    assert!(matches!(error, Error::Launch { .. }), "{error}");
    let error = open("sh", &["-c", "echo no module named tau2 >&2; exit 1"]).describe().await.unwrap_err();
    assert!(matches!(&error, Error::Dead { step: "start", .. }), "{error}");
    assert!(error.to_string().contains("no module named tau2"), "{error}");
    let error = open("sleep", &["600"]).describe().await.unwrap_err();
    assert!(matches!(&error, Error::Stuck { step: "start", .. }), "{error}");
}

#[tokio::test]
async fn nothing_of_ours_is_inherited() {
    // The variable is there for this test's own process: cargo sets it.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let launcher = launcher("sh", &["-c", "echo \"manifest: [$CARGO_MANIFEST_DIR]\" >&2"]);
    let pool = Pool::new("counter", Box::new(launcher), WireSettings::default(), 1);
    let error = WireEnvironment::new(pool, Script::of(&[])).describe().await.unwrap_err();
    assert!(error.to_string().contains("manifest: []"), "{error}");
}

#[test]
fn a_stuck_process_ends_when_its_client_dies_without_notice() {
    if !python() {
        return;
    }
    let mut process = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/counter_world.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut heard = |what: &str| assert!(lines.next().unwrap().unwrap().contains(what));
    heard("hello");
    writeln!(input, r#"{{"id":1,"op":"reset","task":"count/1","seed":0}}"#).unwrap();
    heard("ask");
    writeln!(input, r#"{{"id":1,"answer":{{"text":"Hello."}}}}"#).unwrap();
    heard("ok");
    writeln!(input, r#"{{"id":2,"op":"act","act":"a","function":"counter.deaf","arguments":{{}}}}"#).unwrap();
    // What the operating system does for a client that is killed.
    drop(input);
    let ended = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        process.try_wait().unwrap()
    });
    if ended.is_none() {
        process.kill().unwrap();
    }
    assert_eq!(ended.unwrap().code(), Some(3));
}
