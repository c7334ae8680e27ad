//! The same on Redis: the server itself is killed and started again, coordinators take over from each
//! other, and one that slept meanwhile cannot write.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::billing::{Journal, Witness};
use crate::cluster::Cluster;
use crate::lab::{Turn, number, random};
use crate::probes::{free_address, until};

/// Until a standby takes over from a leader that gives no sign of life.
const TAKEOVER: &[&str] = &["--takeover-seconds", "3"];

/// A server that keeps what it has answered.
struct Server {
    port: u16,
    folder: TempDir,
    child: Child,
}

impl Server {
    fn start() -> Option<Self> {
        let (port, folder) = (free_address().port(), tempfile::tempdir().unwrap());
        match run(port, &folder) {
            Ok(child) => Some(Self { port, folder, child }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                println!("skipped: redis-server is not installed");
                None
            }
            Err(error) => panic!("redis-server does not start: {error}"),
        }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Kills the server as a power cut would.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn start_again(&mut self) {
        self.child = run(self.port, &self.folder).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn run(port: u16, folder: &TempDir) -> std::io::Result<Child> {
    let mut child = Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--logfile", ""])
        .args(["--appendonly", "yes", "--appendfsync", "always", "--dir"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut log = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(log.any(|line| line.contains("Ready to accept connections")), "redis-server does not start");
    // What it says later is read and forgotten, or it would die of a closed pipe.
    std::thread::spawn(move || log.for_each(drop));
    Ok(child)
}

#[test]
fn the_server_and_every_process_may_be_killed() {
    let turn = Turn::take();
    let mut random = random();
    let Some(mut server) = Server::start() else { return };
    let mut cluster = Cluster::on_redis(server.url());
    cluster.add_coordinator(TAKEOVER);
    cluster.coordinators[0].wait_until_it_leads();
    (0..3).for_each(|_| cluster.add_worker(&["--slots", "workshop=2"]));
    cluster.submit("killed", &turn.lab.server.base_url());
    let mut watch = cluster.watch("killed");
    let mut witness = Witness::default();
    until("the coordinator has handed out units", || {
        cluster.coordinators[0].metric("palaestra_leases_granted_total", "").filter(|granted| *granted > 0.0)
    });
    for victim in 0..5 {
        if watch.ends_within(Duration::from_millis(300).mul_f64(1.0 + random.f64())) {
            break;
        }
        match victim % 3 {
            0 => {
                server.kill();
                // Everybody finds the server away before it comes back.
                watch.ends_within(Duration::from_millis(500));
                server.start_again();
            }
            1 => {
                let worker = random.choice(&mut cluster.workers).unwrap();
                worker.kill();
                worker.start_again();
            }
            _ => {
                cluster.coordinators[0].process.kill();
                cluster.coordinators[0].process.start_again();
            }
        }
        witness.look(turn.lab, &cluster.place, "killed", &turn.lab.server);
    }
    let status = cluster.last_word(&mut watch);
    cluster.assert_undisturbed(turn.lab, "killed", &status);
    let sold = turn.lab.server.take_stats();
    let journal = Journal::read(&cluster.place, "killed");
    journal.assert_paid_once(turn.lab, &sold, number(&status["may_have_billed"]));
    witness.assert_nothing_again(&sold);
    cluster.end();
}

#[test]
fn a_leader_that_slept_finds_another_one_and_cannot_write() {
    let turn = Turn::take();
    let Some(server) = Server::start() else { return };
    let mut cluster = Cluster::on_redis(server.url());
    cluster.add_coordinator(TAKEOVER);
    cluster.coordinators[0].wait_until_it_leads();
    cluster.add_coordinator(TAKEOVER);
    until("the second coordinator stands by", || {
        cluster.coordinators[1].readiness().filter(|ready| *ready == (503, "standby".to_owned()))
    });
    // Callers go on to the leader at once, and do not wait in the backlog of somebody who does not serve.
    let refused = std::net::TcpStream::connect(cluster.coordinators[1].listen).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    (0..2).for_each(|_| cluster.add_worker(&["--slots", "workshop=2"]));
    cluster.submit("handed-over", &turn.lab.server.base_url());
    let mut watch = cluster.watch("handed-over");
    let [leader, standby] = &mut cluster.coordinators[..] else { panic!("there are two") };
    until("the leader is at work", || {
        leader.metric("palaestra_model_calls_total", "").filter(|calls| *calls > 50.0)
    });
    leader.process.signal("STOP");
    standby.wait_until_it_leads();
    until("units are at work again", || {
        standby.metric("palaestra_leases", "").filter(|leases| *leases > 0.0)
    });
    leader.process.signal("CONT");
    let ended = leader.process.wait();
    let words = leader.process.words().all();
    assert_eq!(ended.code(), Some(4), "{words}");
    assert!(words.lines().last().is_some_and(|line| line.starts_with("error: ")), "{words}");
    println!("the old leader: {}", words.lines().last().unwrap_or_default());
    cluster.coordinators.remove(0);
    let status = cluster.last_word(&mut watch);
    cluster.assert_undisturbed(turn.lab, "handed-over", &status);
    let sold = turn.lab.server.take_stats();
    let journal = Journal::read(&cluster.place, "handed-over");
    journal.assert_paid_once(turn.lab, &sold, number(&status["may_have_billed"]));
    cluster.end();
}
