//! A coordinator and two workers on hosts of their own, over TLS: the way is slow, packets are lost, and
//! a worker is cut off for longer than its lease.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::network::Network;
use crate::billing::Journal;
use crate::certificates::Certificates;
use crate::cluster::{At, Cluster, LEASE_SECONDS};
use crate::lab::{Turn, number};

const COORDINATOR: &str = "coord";
const WORKERS: [&str; 2] = ["first", "second"];

/// The hosts, and the coordinator's address.
fn network() -> Result<(Network, IpAddr), String> {
    let mut network = Network::new()?;
    let coordinator = network.add(COORDINATOR)?;
    for worker in WORKERS {
        network.add(worker)?;
        network.slow_down(worker)?;
        network.lose(worker)?;
    }
    Ok((network, coordinator))
}

#[test]
fn a_worker_that_was_cut_off_for_longer_than_its_lease_harms_nothing() {
    let turn = Turn::take();
    let (network, coordinator) = match network() {
        Ok(made) => made,
        Err(reason) => {
            println!("skipped: no hosts on this machine: {reason}");
            return;
        }
    };
    let server = turn.lab.serve(20, SocketAddr::new(network.own_address(), 0));
    let mut cluster = Cluster::on_file();
    let files = Certificates::write(cluster.folder(), &[&coordinator.to_string()]);
    cluster.enter_with(&files);
    let at = At {
        before: network.on(COORDINATOR),
        listen: SocketAddr::new(coordinator, 7400),
        http: "127.0.0.1:7401".parse().unwrap(),
    };
    let safe = files.of_coordinator();
    cluster.add_coordinator_at(at, &safe.iter().map(String::as_str).collect::<Vec<_>>());
    cluster.coordinators[0].process.words().wait_for("the coordinator leads");
    let token = files.path("worker.token");
    for worker in WORKERS {
        cluster.add_worker_at(network.on(worker), &["--token-file", &token, "--slots", "workshop=3"]);
    }
    cluster.submit("apart", &server.base_url());
    let mut watch = cluster.watch("apart");
    // Long enough to be at work, short enough not to be done.
    assert!(!watch.ends_within(Duration::from_secs(2)), "the run is over before anything has happened");

    network.connect(WORKERS[0], false);
    cluster.workers[0].words().wait_for("the lease of a unit is over");
    assert!(
        !watch.ends_within(Duration::from_secs(LEASE_SECONDS)),
        "a worker is cut off, and the run is over"
    );
    network.connect(WORKERS[0], true);
    // The other one is cut off for less than a lease.
    network.connect(WORKERS[1], false);
    watch.ends_within(Duration::from_millis(LEASE_SECONDS * 1_000 / 3));
    network.connect(WORKERS[1], true);

    let status = cluster.last_word(&mut watch);
    cluster.assert_undisturbed(turn.lab, "apart", &status);
    let journal = Journal::read(&cluster.place, "apart");
    journal.assert_paid_once(turn.lab, &server.take_stats(), number(&status["may_have_billed"]));
    cluster.end();
}
