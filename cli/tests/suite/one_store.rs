//! Several runs in one store: `palaestra run` spends on the run that it was asked for, and on no other
//! one that lies there unfinished.

use std::time::Duration;

use palaestra_model_server::{Options, Server};

use crate::support::{Folder, run_file};

const STORE: [&str; 2] = ["--store", "all.sqlite"];

/// The whole workshop by a live source: long enough to be struck in the middle.
fn live(url: &str) -> String {
    run_file(
        "live",
        &format!(
            "  environment: {{ name: workshop }}\n  sources: [{{ model: lab/restless }}]\n  \
             limits: {{ concurrency: 1 }}\n  providers: {{ lab: {{ protocol: openai, baseUrl: '{url}' }} }}\n"
        ),
    )
}

#[test]
fn another_unfinished_run_in_the_same_store_is_left_alone() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listen = "127.0.0.1:0".parse().unwrap();
    let server = runtime.block_on(Server::start(Options::default(), listen)).unwrap();
    let folder = Folder::new();
    folder.write("live.yaml", &live(&server.base_url()));
    let scripted =
        "  environment: { name: workshop }\n  sources: [{ scripted: hasty }, { scripted: restless }]\n";
    folder.write("other.yaml", &run_file("other", scripted));

    let mut child = folder.start(&[&["run", "-f", "live.yaml"], &STORE[..]].concat());
    let mut answered = 0;
    while answered < 20 {
        answered += server.take_stats().totals.answered;
        assert!(child.try_wait().unwrap().is_none(), "it ended without its calls");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    assert!(child.wait().unwrap().code().is_none(), "it was over before it was struck");
    drop(server.take_stats());
    folder.say(&[&["run", "-f", "other.yaml"], &STORE[..]].concat()).ok();
    assert_eq!(server.take_stats().totals.started, 0, "somebody else's run went on");
    folder.say(&[&["run", "-f", "live.yaml"], &STORE[..]].concat()).ok();
    assert!(server.take_stats().totals.started > 0, "the first run had nothing left to do");
}
