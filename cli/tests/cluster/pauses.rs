//! SIGSTOP of a worker for longer than its lease: another one does its units, and what it still says
//! when it wakes up is refused.

use palaestra_model_server::Server;

use crate::billing::Journal;
use crate::cluster::Cluster;
use crate::lab::{Turn, number, sold};
use crate::probes::until;

/// What wakes up finds out by itself, as a rule, that its leases are over; only now and then is a word
/// faster than that.
const MOST_PAUSES: usize = 12;

#[test]
fn a_worker_that_slept_too_long_is_not_heard() {
    let turn = Turn::take();
    let mut cluster = Cluster::on_file();
    cluster.add_coordinator(&[]);
    cluster.coordinators[0].wait_until_it_leads();
    cluster.add_worker(&["--slots", "workshop=3"]);
    let mut stale = 0.0;
    for pause in 1..=MOST_PAUSES {
        let run = format!("paused-{pause}");
        turn.lab.forget_sales();
        cluster.submit(&run, &turn.lab.server.base_url());
        let mut watch = cluster.watch(&run);
        stale += sleep_through_a_lease(&mut cluster, &turn.lab.server);
        let status = cluster.last_word(&mut watch);
        cluster.assert_undisturbed(turn.lab, &run, &status);
        let sold = turn.lab.server.take_stats();
        let journal = Journal::read(&cluster.place, &run);
        journal.assert_paid_once(turn.lab, &sold, number(&status["may_have_billed"]));
        if stale > 0.0 {
            break;
        }
    }
    assert!(stale > 0.0, "no late word of a worker was refused in {MOST_PAUSES} pauses");
    cluster.end();
}

/// Stops the one worker while it is at work, lets another one take over, and lets the first go on;
/// answers how many of its words were refused. The other one stays as the one worker.
fn sleep_through_a_lease(cluster: &mut Cluster, server: &Server) -> f64 {
    let metric = |cluster: &Cluster, name| cluster.coordinators[0].metric(name, "");
    let before = until("the coordinator counts", || metric(cluster, "palaestra_stale_messages_total"));
    let expired = until("the coordinator counts", || metric(cluster, "palaestra_leases_expired_total"));
    until("units are at work", || Some(sold(server)).filter(|sold| sold.totals.answered > 50));
    cluster.workers[0].signal("STOP");
    cluster.add_worker(&["--slots", "workshop=3"]);
    until("the sleeper's leases are over", || {
        metric(cluster, "palaestra_leases_expired_total").filter(|now| *now > expired + 2.0)
    });
    until("the other one is at work", || metric(cluster, "palaestra_leases").filter(|leases| *leases > 0.0));
    let heard = cluster.workers[0].words().count();
    cluster.workers[0].signal("CONT");
    cluster.workers[0].words().wait_for("the lease of a unit is over", heard);
    let mut sleeper = cluster.workers.remove(0);
    sleeper.assert_alive();
    sleeper.signal("TERM");
    assert!(sleeper.wait().success());
    until("the coordinator counts", || metric(cluster, "palaestra_stale_messages_total")) - before
}
