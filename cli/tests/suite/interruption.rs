//! Ctrl-C and SIGTERM: the run stops, nothing is lost, and the same command continues.

use std::io::Read as _;
use std::process::{Child, Command};

use palaestra_store::{SqliteStore, Store as _, StoredEvent, StreamName};

use crate::support::{Folder, WORKSHOP, run_file, text};

#[test]
fn a_signal_ends_the_run_with_130_and_the_same_command_continues() {
    let folder = Folder::new();
    folder.write("undisturbed.yaml", &run_file("undisturbed", WORKSHOP));
    let undisturbed = folder.run("undisturbed.yaml");
    for signal in ["INT", "TERM"] {
        let name = format!("run-{}", signal.to_lowercase());
        let file = format!("{name}.yaml");
        folder.write(&file, &run_file(&name, WORKSHOP));
        let mut child = folder.start(&["run", "-f", &file]);
        wait_until_it_owns(&mut child, &folder.store(&name).with_extension("sqlite.lock"));
        if signal == "TERM" {
            wait_until_it_works(&mut child, &folder.store(&name));
        }
        let killed = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let mut words = String::new();
        child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{words}");
        assert!(words.contains("the same command continues"), "{words}");
        let (summary, bank) = (folder.run(&file), text(&undisturbed["bank"]));
        assert_eq!(
            (text(&summary["bank"]), &summary["sources"]),
            (bank, &undisturbed["sources"]),
            "{signal}"
        );
    }
}

/// Waits for the lock file to name the process: from then on it listens to signals.
fn wait_until_it_owns(child: &mut Child, lock: &std::path::Path) {
    let owner = format!("process {}\n", child.id());
    while std::fs::read_to_string(lock).ok().as_ref() != Some(&owner) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        std::thread::yield_now();
    }
}

/// Waits until the run's worker has brought its first results.
fn wait_until_it_works(child: &mut Child, store: &std::path::Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let log = StreamName::new("coordinator").unwrap();
    let events = || {
        let store = SqliteStore::open_read_only(store).ok()?;
        runtime.block_on(store.read(&log, 0)).ok()
    };
    let committed = |event: &StoredEvent| String::from_utf8_lossy(&event.bytes).contains("commit");
    while !events().is_some_and(|events| events.iter().any(committed)) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be interrupted");
        std::thread::yield_now();
    }
}
