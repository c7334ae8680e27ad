//! `kill -9` at twenty random moments, then the end: the same bank, whatever the number of threads.

use std::io::Read as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use palaestra_store::{SqliteStore, Store as _};

use crate::retail::retail;
use crate::support::{Folder, WORKSHOP, run_file, text};

const KILLS: usize = 20;

#[test]
fn the_workshop_survives_twenty_kills() {
    let folder = Folder::new();
    folder.write("undisturbed.yaml", &run_file("undisturbed", WORKSHOP));
    let undisturbed = folder.run("undisturbed.yaml");
    let seconds = undisturbed["seconds"].as_f64().unwrap();
    let alone = folder.json(&["run", "-f", "undisturbed.yaml", "--ephemeral", "--threads", "1"]);
    assert_eq!(alone["bank"], undisturbed["bank"]);
    survive(&folder, &run_file("killed", WORKSHOP), "killed", seconds, text(&undisturbed["bank"]));
}

#[test]
fn the_retail_recordings_survive_twenty_kills() {
    let Some(undisturbed) = retail() else { return };
    let folder = Folder::new();
    let seconds = undisturbed.summary["seconds"].as_f64().unwrap();
    survive(&folder, &undisturbed.file, "retail", seconds, text(&undisturbed.summary["bank"]));
}

/// Kills the run again and again, with one thread and two threads in turn, and then lets it finish.
fn survive(folder: &Folder, file: &str, name: &str, seconds: f64, bank: &str) {
    let seed = std::env::var("PALAESTRA_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed} (set PALAESTRA_TEST_SEED to draw the same moments)");
    let mut random = fastrand::Rng::with_seed(seed);
    folder.write("killed.yaml", file);
    let mut known = 0;
    for kill in 0..KILLS {
        let threads = ["1", "2"][kill % 2];
        let delay = Duration::from_secs_f64(random.f64() * seconds / 6.0);
        let killed = run_for(folder, &["run", "-f", "killed.yaml", "--threads", threads], delay);
        let events = if folder.store(name).exists() { events(folder, name) } else { 0 };
        println!("kill {kill} after {delay:?} with {threads} threads: {killed}, {events} events are durable");
        assert!(events >= known, "{known} events were durable and {events} are left");
        known = events;
    }
    let finished = folder.json(&["run", "-f", "killed.yaml", "--threads", "2"]);
    assert_eq!(text(&finished["bank"]), bank, "seed {seed}");
}

/// Lets a command run for a while and kills it; answers whether it was still running.
fn run_for(folder: &Folder, arguments: &[&str], delay: Duration) -> bool {
    let mut child = folder.start(arguments);
    let mut stderr = child.stderr.take().unwrap();
    let (ended, end) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut words = String::new();
        stderr.read_to_string(&mut words).unwrap();
        // Nobody listens any more when the command was killed.
        let _killed = ended.send(());
        words
    });
    let running = end.recv_timeout(delay).is_err();
    child.kill().unwrap();
    let status = child.wait().unwrap();
    let words = reader.join().unwrap();
    assert!(status.success() || (running && status.code().is_none()), "{status}: {words}");
    running
}

/// How many events of the run and its bank are durable.
fn events(folder: &Folder, name: &str) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open_read_only(&folder.store(name)).unwrap();
        let mut events = 0;
        for stream in store.streams("").await.unwrap() {
            events += store.read(&stream, 0).await.unwrap().len();
        }
        events
    })
}
