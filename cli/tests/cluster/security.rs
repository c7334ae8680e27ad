//! Tokens and TLS on the real command: whoever may not come in learns why, and nothing else.

use crate::certificates::{Certificates, token};
use crate::cluster::{Cluster, Coordinator, Place};
use crate::lab::Turn;
use crate::probes::get;

fn words(flags: &[String]) -> Vec<&str> {
    flags.iter().map(String::as_str).collect()
}

#[test]
fn a_coordinator_that_strangers_could_reach_does_not_start() {
    let _turn = Turn::take();
    let cluster = Cluster::on_file();
    let files = Certificates::write(cluster.folder(), &["localhost"]);
    let tokens = files.of_coordinator();
    for (listener, flags, missing) in [
        ("--listen", &tokens[..0], "--tls-cert, --tls-key, --worker-token-file, --client-token-file"),
        ("--listen", &tokens[4..], "--tls-cert, --tls-key"),
        ("--listen", &tokens[..4], "--worker-token-file, --client-token-file"),
        ("--http", &tokens[..], "--metrics-token-file"),
    ] {
        let flags =
            [&["coordinator", "--store", "none.sqlite", listener, "0.0.0.0:0"], &words(flags)[..]].concat();
        let refused = cluster.say(&flags).refused(1);
        assert!(refused.contains(missing), "{refused}");
    }
    assert!(!cluster.folder().join("none.sqlite").exists(), "nothing was left behind");
    std::fs::write(cluster.folder().join("short"), "secret").unwrap();
    let refused = cluster.say(&["coordinator", "--client-token-file", "short"]).refused(1);
    assert!(refused.contains("fewer than 16 characters"), "{refused}");
    cluster.end();
}

#[test]
fn tokens_open_what_they_are_for() {
    let _turn = Turn::take();
    let mut cluster = Cluster::on_file();
    let files = Certificates::write(cluster.folder(), &["127.0.0.1"]);
    let metrics = files.path("metrics.token");
    let of_coordinator = files.of_coordinator();
    let tokens = [words(&of_coordinator[4..]), vec!["--metrics-token-file", &metrics]].concat();
    cluster.add_coordinator(&tokens);
    cluster.coordinators[0].wait_until_it_leads();
    let Coordinator { http, .. } = cluster.coordinators[0];
    let scrape = |token: Option<&str>| get(http, "/metrics", token).unwrap().0;
    let [right, wrong] = ["metrics", "client"].map(token);
    assert_eq!([scrape(None), scrape(Some(&wrong)), scrape(Some(&right))], [401, 401, 200]);

    let token = |who: &str| files.path(&format!("{who}.token"));
    let said = cluster.say(&["ls", "--token-file", &token("client")]);
    assert!(said.ok().starts_with("run "), "there are no runs yet");
    for refused in [
        cluster.say(&["ls"]),
        cluster.say(&["ls", "--token-file", &token("worker")]),
        cluster.say(&["worker", "--token-file", &token("client")]),
        cluster.say(&["worker"]),
    ] {
        let words = refused.stderr.clone();
        assert_eq!(refused.code, Some(1), "{words}");
        assert!(words.contains("no valid token") && !words.contains("the-secret"), "{words}");
    }
    let elsewhere = ["ls", "--coordinator", "http://192.0.2.1:7400", "--token-file", &token("client")];
    let refused = cluster.say(&elsewhere).refused(1);
    assert!(refused.contains("192.0.2.1") && !refused.contains("the-secret"), "{refused}");
    cluster.end();
}

#[test]
fn tls_lets_in_whoever_knows_the_authority_and_mutual_tls_whom_it_has_signed() {
    let _turn = Turn::take();
    let mut cluster = Cluster::on_file();
    let files = Certificates::write(cluster.folder(), &["127.0.0.1"]);
    let (of_coordinator, client) = (files.of_coordinator(), files.of("client"));
    let [authority, certificate, key] = ["ca", "client.pem", "client.key"].map(|name| files.path(name));
    cluster.add_coordinator(&words(&of_coordinator));
    cluster.place = Place::File(cluster.folder().join("mutual.sqlite"));
    cluster.add_coordinator(&[words(&of_coordinator), vec!["--tls-client-ca", &authority]].concat());
    for coordinator in &cluster.coordinators {
        coordinator.process.words().wait_for("the coordinator leads");
    }
    let [open, mutual] = [0, 1].map(|index| format!("https://{}", cluster.coordinators[index].listen));
    let ls = |address: &str, more: &[&str]| {
        cluster.say(&[&["ls", "--coordinator", address], &words(&client)[..], more].concat())
    };
    ls(&open, &[]).ok();
    ls(&mutual, &["--tls-cert", &certificate, "--tls-key", &key]).ok();
    ls(&mutual, &[]).refused(1);
    // Another authority of the same form.
    let other = tempfile::tempdir().unwrap();
    let strangers = Certificates::write(other.path(), &["127.0.0.1"]).path("ca");
    let token = files.path("client.token");
    let refused = cluster
        .say(&["ls", "--coordinator", &open, "--tls-ca", &strangers, "--token-file", &token])
        .refused(1);
    assert!(refused.to_lowercase().contains("certificate"), "{refused}");
    let plain = format!("http://{}", cluster.coordinators[0].listen);
    cluster.say(&["ls", "--coordinator", &plain, "--token-file", &token]).refused(1);
    cluster.end();
}
