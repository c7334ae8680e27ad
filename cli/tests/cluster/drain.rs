//! SIGTERM to a worker that waits for a slow model: it is gone within 15 seconds, and another one goes
//! on with its unit. A second signal exits at once.

use std::time::Duration;

use palaestra_runtime::{Clock as _, SystemClock};

use crate::cluster::Cluster;
use crate::lab::{Turn, number, sold, write_busy_run_file};
use crate::probes::until;

/// Longer than a draining worker waits for.
const SLOW_MS: u64 = 60_000;

#[test]
fn a_draining_worker_is_gone_in_time_and_its_unit_goes_on_elsewhere() {
    let turn = Turn::take();
    let slow = turn.lab.serve(SLOW_MS, "127.0.0.1:0".parse().unwrap());
    let mut cluster = Cluster::on_file();
    cluster.add_coordinator(&[]);
    cluster.coordinators[0].wait_until_it_leads();
    cluster.add_worker(&["--slots", "workshop=1"]);
    // No attempt waits for another one's call.
    write_busy_run_file(cluster.folder(), "slow", &slow.base_url(), 1_000);
    let submitted = cluster.json(&["submit", "-f", "slow.yaml"]);
    // The sources attempt a task side by side.
    let asked = until("three attempts wait for their model", || {
        Some(sold(&slow)).filter(|sold| sold.totals.started == 3)
    });

    let begun = SystemClock.monotonic();
    cluster.workers[0].signal("TERM");
    cluster.workers[0].words().wait_for("stops: takes no more units");
    // Room for everything, so that the unit which is given back finds a place.
    cluster.add_worker(&["--slots", "workshop=200"]);
    let ended = cluster.workers[0].wait();
    let took = SystemClock.monotonic().duration_since(begun);
    assert!(ended.success(), "{ended}");
    assert!(took < Duration::from_secs(15), "{took:?}");
    until("the other worker asks what the first one asked", || {
        let again = sold(&slow);
        asked.requests.keys().all(|digest| again.requests[digest].started == 2).then_some(())
    });
    let status = cluster.json(&["ls"]);
    let units = |field: &str| number(&status[0][field]);
    assert_eq!((units("units_unresolved"), units("units_committed")), (0, 0));
    let all = |status: &serde_json::Value| number(&status["units_waiting"]) + number(&status["units_leased"]);
    assert_eq!(all(&status[0]), all(&submitted), "no unit is lost");

    cluster.workers[1].signal("TERM");
    cluster.workers[1].words().wait_for("a second signal exits at once");
    let begun = SystemClock.monotonic();
    cluster.workers[1].signal("TERM");
    let ended = cluster.workers[1].wait();
    let took = SystemClock.monotonic().duration_since(begun);
    assert_eq!(ended.code(), Some(130));
    assert!(took < Duration::from_secs(3), "{took:?}");

    cluster.coordinators[0].process.signal("TERM");
    let ended = cluster.coordinators[0].process.wait();
    assert!(ended.success(), "{ended}");
    cluster.workers.clear();
    cluster.coordinators.clear();
    cluster.end();
}
