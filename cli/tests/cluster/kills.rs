//! SIGKILL of random workers and of the coordinator at random moments: the same banks, and every call
//! is paid once.

use std::time::Duration;

use fastrand::Rng;
use serde_json::Value;

use crate::billing::{Journal, Witness};
use crate::cluster::Cluster;
use crate::lab::{Lab, Turn, number, random};
use crate::process::Process;

/// How many kills there are unless `PALAESTRA_KILLS` says otherwise.
const KILLS: usize = 20;

/// Kills follow each other within this time.
const LONGEST_PAUSE: Duration = Duration::from_millis(900);

/// One kill of so many is the coordinator's.
const COORDINATOR: usize = 4;

#[test]
fn the_banks_and_the_bills_survive_kills_of_workers_and_coordinator() {
    let turn = Turn::take();
    let mut random = random();
    let wanted = std::env::var("PALAESTRA_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let mut cluster = Cluster::on_file();
    cluster.add_coordinator(&[]);
    // A worker that comes back under its old name is known to have lost what it held; the others'
    // leases run out.
    for own_name in [&["--id", "first"], &["--id", "second"], &[][..], &[]] {
        cluster.add_worker(&[own_name, &["--slots", "workshop=2"]].concat());
    }
    let (mut kills, mut runs) = (0, 0);
    while kills < wanted {
        runs += 1;
        kills += survive(&mut cluster, turn.lab, &mut random, &format!("killed-{runs}"), wanted - kills);
    }
    println!("{kills} kills in {runs} runs");
    cluster.end();
}

/// One run, and at most so many kills meanwhile; answers how many there were.
fn survive(cluster: &mut Cluster, lab: &Lab, random: &mut Rng, run: &str, most: usize) -> usize {
    lab.forget_sales();
    cluster.coordinators[0].wait_until_it_leads();
    cluster.submit(run, &lab.server.base_url());
    let mut witness = Witness::default();
    let mut watch = cluster.watch(run);
    let mut kills = 0;
    while kills < most {
        if watch.ends_within(LONGEST_PAUSE.mul_f64(random.f64())) {
            if come_again(cluster, &mut watch, run) {
                continue;
            }
            break;
        }
        let victim = match random.usize(..COORDINATOR) {
            0 => &mut cluster.coordinators[0].process,
            _ => random.choice(&mut cluster.workers).unwrap(),
        };
        victim.kill();
        victim.start_again();
        kills += 1;
        witness.look(lab, &cluster.place, run, &lab.server);
    }
    while come_again(cluster, &mut watch, run) {}
    judge(cluster, lab, run, &witness, &cluster.last_word(&mut watch));
    println!("{run}: {kills} kills");
    kills
}

/// Waits until whoever follows the run has heard the last word. Whoever came to a coordinator that was
/// dead already, and had seen nothing of the run yet, comes again.
fn come_again(cluster: &Cluster, watch: &mut Process, run: &str) -> bool {
    if watch.wait().success() {
        return false;
    }
    let words = watch.words().all();
    assert!(!words.contains("the coordinator is away"), "whoever was let in once waits: {words}");
    cluster.coordinators[0].wait_until_it_leads();
    *watch = cluster.watch(run);
    true
}

fn judge(cluster: &Cluster, lab: &Lab, run: &str, witness: &Witness, status: &Value) {
    cluster.assert_undisturbed(lab, run, status);
    let sold = lab.server.take_stats();
    Journal::read(&cluster.place, run).assert_paid_once(lab, &sold, number(&status["may_have_billed"]));
    witness.assert_nothing_again(&sold);
}
