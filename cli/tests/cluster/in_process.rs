//! `palaestra run`, killed at random moments and run again: coordinator and worker in one process keep
//! the same promises.

use std::fs;

use crate::billing::{Journal, Witness};
use crate::cluster::Place;
use crate::lab::{self, Turn, json, number, random, run, text, write_run_file};
use crate::process::{Process, assert_no_orphans};

const KILLS: usize = 6;

#[test]
fn a_run_that_is_killed_and_run_again_pays_once_and_ends_with_the_same_bank() {
    let turn = Turn::take();
    let mut random = random();
    let folder = tempfile::tempdir().unwrap();
    write_run_file(folder.path(), "killed", &turn.lab.server.base_url());
    let recipe = run(&folder, "killed", &["--bank", "bank.json"]);
    let place = Place::File(folder.path().join(".palaestra").join("killed.sqlite"));
    let seconds = turn.lab.summary["seconds"].as_f64().unwrap();
    let mut witness = Witness::default();
    let mut kills = 0;
    while kills < KILLS {
        let mut process = Process::start(recipe.clone());
        let pause = std::time::Duration::from_secs_f64(random.f64() * seconds / 3.0);
        if process.ends_within(pause) {
            assert!(process.wait().success(), "{}", process.words().all());
            break;
        }
        process.kill();
        kills += 1;
        let begun = matches!(&place, Place::File(path) if path.exists());
        if begun {
            witness.look(turn.lab, &place, "killed", &turn.lab.server);
        }
    }
    println!("{kills} kills");
    let summary = json(recipe.clone());
    assert_eq!(text(&summary["bank"]), text(&turn.lab.summary["bank"]));
    assert_eq!(summary["sources"], turn.lab.summary["sources"]);
    assert!(fs::read_to_string(folder.path().join("bank.json")).unwrap() == turn.lab.bank);
    let sold = turn.lab.server.take_stats();
    let may_have_billed = number(&summary["ledger"]["may_have_billed"]);
    Journal::read(&place, "killed").assert_paid_once(turn.lab, &sold, may_have_billed);
    witness.assert_nothing_again(&sold);
    // Once more there is nothing left to buy.
    assert_eq!(json(recipe.clone())["bank"], summary["bank"]);
    assert_eq!(lab::sold(&turn.lab.server).totals.started, 0);
    assert_no_orphans(&recipe.mark);
}
