//! SIGSTOP of a worker for longer than its lease: another one does its units, and what it said too late
//! is refused.

use std::time::Duration;

use crate::billing::Journal;
use crate::cluster::{Cluster, LEASE_SECONDS};
use crate::lab::{Turn, number, sold};
use crate::probes::until;

/// Longer than a lease.
const LONG: Duration = Duration::from_millis(LEASE_SECONDS * 1_000 + 500);

/// Long enough for words to leave a process that nobody listens to.
const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_worker_that_slept_for_longer_than_its_lease_is_not_heard() {
    let turn = Turn::take();
    let mut cluster = Cluster::on_file();
    cluster.add_coordinator(&[]);
    cluster.coordinators[0].wait_until_it_leads();
    cluster.add_worker(&["--slots", "workshop=3"]);
    cluster.submit("paused", &turn.lab.server.base_url());
    let mut watch = cluster.watch("paused");
    until("units are at work", || Some(sold(&turn.lab.server)).filter(|sold| sold.totals.answered > 50));

    // The worker has spoken and is not heard before its lease is over: the coordinator sleeps too.
    cluster.coordinators[0].process.signal("STOP");
    assert!(!watch.ends_within(SHORT), "the run is over too early");
    cluster.workers[0].signal("STOP");
    assert!(!watch.ends_within(LONG), "everybody sleeps, and the run is over");
    cluster.coordinators[0].process.signal("CONT");
    for name in ["palaestra_leases_expired_total", "palaestra_stale_messages_total"] {
        until(name, || cluster.coordinators[0].metric(name, "").filter(|count| *count > 0.0));
    }
    cluster.add_worker(&["--slots", "workshop=3"]);
    until("the other one is at work", || {
        cluster.coordinators[0].metric("palaestra_leases", "").filter(|leases| *leases > 0.0)
    });
    cluster.workers[0].signal("CONT");
    // It learns it by its own clock, or by the answer to a call or a report that it makes first.
    let learnt = ["the lease of a unit is over", "the coordinator has no use for the unit's report"];
    cluster.workers[0].words().wait_for_any(&learnt);

    let status = cluster.last_word(&mut watch);
    cluster.assert_undisturbed(turn.lab, "paused", &status);
    let journal = Journal::read(&cluster.place, "paused");
    journal.assert_paid_once(turn.lab, &turn.lab.server.take_stats(), number(&status["may_have_billed"]));
    cluster.end();
}
