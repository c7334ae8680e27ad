//! The commands to a coordinator, for people and for scripts.

use serde_json::Value;

use crate::cluster::Cluster;
use crate::lab::{Turn, number, sold, text, write_run_file, write_scripted_run_file};
use crate::probes::until;

/// The first words of lines of a table without a head.
fn rows(human: &str) -> Vec<&str> {
    let rows = human.lines().take_while(|line| !line.is_empty());
    rows.map(|line| line.split("  ").next().unwrap_or_default()).collect()
}

fn stage(status: &Value) -> [&str; 2] {
    ["phase", "curation"].map(|field| text(&status[field]))
}

/// A coordinator without workers, so that nothing moves.
fn still() -> Cluster {
    let mut cluster = Cluster::on_file();
    cluster.add_coordinator(&[]);
    cluster.coordinators[0].wait_until_it_leads();
    cluster
}

#[test]
fn runs_are_submitted_and_listed_for_people_and_for_scripts() {
    let turn = Turn::take();
    let cluster = still();
    let url = turn.lab.server.base_url();
    let submitted = cluster.submit("first", &url);
    assert_eq!(stage(&submitted), ["active", "gathering"]);
    let units = number(&submitted["units_waiting"]);
    let sources = turn.lab.summary["sources"].as_object().unwrap().len() as u64;
    assert_eq!(number(&submitted["trajectories"]), units * sources);
    let again = cluster.submit("first", &url);
    assert_eq!(number(&again["units_waiting"]), units, "the same run again changes nothing");
    write_run_file(cluster.folder(), "second", &url);
    let submit =
        ["submit", "-f", "second.yaml", "--tenant", "guests", "--class", "interactive", "--weight", "3"];
    let human = cluster.say(&submit).ok();
    assert!(human.contains("second (guests, interactive, weight 3)"), "{human}");
    assert_eq!(rows(&human)[..5], ["run", "stage", "trajectories", "outcomes", "units"]);

    let names = |status: &Value| {
        let runs = status.as_array().unwrap().iter();
        runs.map(|run| text(&run["run"]).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&cluster.json(&["ls"])), ["first", "second"]);
    assert_eq!(names(&cluster.json(&["ls", "--tenant", "guests"])), ["second"]);
    let human = cluster.say(&["ls"]).ok();
    let words: Vec<Vec<&str>> = human.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[0], ["run", "tenant", "stage", "trajectories", "unresolved", "spent", "bank"]);
    assert_eq!((&words[1][..3], words[1][6]), (&["first", "default", "running"][..], "-"));
    assert_eq!(words[2][..3], ["second", "guests", "running"]);

    // The same name with another content is another run.
    let other = std::fs::read_to_string(cluster.folder().join("first.yaml")).unwrap();
    let other = other.replace("name: workshop", "name: workshop, instances: 2");
    std::fs::write(cluster.folder().join("other.yaml"), other).unwrap();
    let refused = cluster.say(&["submit", "-f", "other.yaml"]).refused(3);
    assert!(refused.contains("instances"), "{refused}");
    let refused = cluster.say(&["watch", "third"]).refused(1);
    assert!(refused.contains("third"), "{refused}");
    let nobody = cluster.say(&["ls", "--coordinator", "http://127.0.0.1:1"]).refused(1);
    assert!(nobody.contains("refused"), "{nobody}");
    cluster.end();
}

#[test]
fn a_run_is_paused_and_resumed_and_another_one_is_cancelled() {
    let turn = Turn::take();
    let mut cluster = still();
    let url = turn.lab.server.base_url();
    let units = number(&cluster.submit("first", &url)["units_waiting"]);
    cluster.submit("second", &url);
    assert_eq!(stage(&cluster.json(&["pause", "first"])), ["paused", "gathering"]);
    assert_eq!(stage(&cluster.json(&["cancel", "second"])), ["cancelled", "cancelled"]);
    // A cancelled run is over: whoever watches it learns that at once.
    let watched = cluster.say(&["watch", "second"]);
    assert_eq!(watched.code, Some(6), "{}", watched.stderr);
    assert!(watched.stdout.contains("cancelled"), "{}", watched.stdout);
    let refused = cluster.say(&["resume", "second"]).refused(1);
    assert!(refused.contains("second"), "{refused}");

    cluster.add_worker(&["--slots", "workshop=4"]);
    until("the worker is known", || {
        cluster.coordinators[0].metric("palaestra_workers", "").filter(|workers| *workers > 0.0)
    });
    let paused = &cluster.json(&["ls"])[0];
    assert_eq!((number(&paused["units_waiting"]), number(&paused["units_leased"])), (units, 0));
    assert_eq!(stage(&cluster.json(&["resume", "first"])), ["active", "gathering"]);
    let status = cluster.last_word(&mut cluster.watch("first"));
    assert_eq!(stage(&status), ["finished", "frozen"]);
    cluster.assert_undisturbed(turn.lab, "first", &status);
    let human = cluster.say(&["watch", "first"]).ok();
    assert!(human.contains(text(&status["bank"])), "{human}");
    assert!(human.contains("curator") && human.contains("reflector"), "calls by role: {human}");
    cluster.workers[0].signal("TERM");
    assert!(cluster.workers[0].wait().success());
    cluster.workers.clear();
    cluster.end();
}

/// What a bank costs is paid after the last unit: a budget, a larger one and a cancellation reach it.
#[test]
fn a_bank_that_is_being_built_waits_for_money_and_can_be_given_up() {
    let turn = Turn::take();
    let mut cluster = still();
    cluster.add_worker(&["--slots", "workshop=4"]);
    let write = |name: &str, url: &str, tokens: u64| {
        write_scripted_run_file(cluster.folder(), name, url, tokens);
    };
    write("poor", &turn.lab.server.base_url(), 5);
    let poor = cluster.say(&["--output", "json", "submit", "-f", "poor.yaml", "--watch"]);
    assert_eq!(poor.code, Some(5), "{}", poor.stderr);
    let poor: Value = serde_json::from_str(&poor.stdout).unwrap();
    assert_eq!((stage(&poor), number(&poor["spent_tokens"])), (["finished", "stalled"], 0));
    write("poor", &turn.lab.server.base_url(), 1_000_000_000);
    let rich = cluster.json(&["submit", "-f", "poor.yaml", "--watch", "--bank", "bank.json"]);
    assert_eq!(stage(&rich), ["finished", "frozen"]);
    let bank = std::fs::read_to_string(cluster.folder().join("bank.json")).unwrap();
    assert!(bank.contains(text(&rich["bank"])), "the client has the bank");

    // Whoever builds it waits for an answer that does not come.
    let silent = turn.lab.serve(600_000, "127.0.0.1:0".parse().unwrap());
    write("silent", &silent.base_url(), 1_000_000_000);
    cluster.json(&["submit", "-f", "silent.yaml"]);
    until("the bank is being built", || Some(sold(&silent)).filter(|sold| sold.totals.started > 0));
    assert_eq!(stage(&cluster.json(&["cancel", "silent"])), ["cancelled", "cancelled"]);
    let runs = cluster.json(&["ls"]);
    let held: Vec<u64> = runs.as_array().unwrap().iter().map(|run| number(&run["held_tokens"])).collect();
    assert_eq!(held, [0, 0], "nothing is held for a run that was given up");
    cluster.end();
}
