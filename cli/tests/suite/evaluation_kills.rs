//! `kill -9` in the middle of an evaluation with a live target, then the end: the same report, and no
//! completed call is bought again.

use std::collections::BTreeMap;
use std::time::Duration;

use palaestra_model_server::{Options, Server};
use palaestra_runtime::{Clock as _, SystemClock};
use serde_json::Value;

use crate::support::{Folder, run_file};

const KILLS: u64 = 5;

/// Episodes that are worked on at a time, and so calls that may be in flight at a kill.
const AT_A_TIME: u64 = 2;

fn file(url: &str) -> String {
    let built = "  environment: { name: workshop, taskPrefixes: [workshop/ambiguity/] }\n  \
                 sources: [{ scripted: presumptuous }, { scripted: restless }]\n";
    format!(
        "{}---\napiVersion: palaestra.dev/v1alpha1\nkind: EvaluationRun\nmetadata: {{ name: measured }}\nspec:\n  \
         environment: {{ name: workshop, taskPrefixes: [workshop/ambiguity/] }}\n  targets: [{{ model: lab/restless }}]\n  \
         conditions: [{{ name: none }}, {{ name: contrastive, bank: {{ run: built }} }}]\n  \
         limits: {{ concurrency: {AT_A_TIME} }}\n  \
         providers: {{ lab: {{ protocol: openai, baseUrl: '{url}' }} }}\n",
        run_file("built", built)
    )
}

fn report(folder: &Folder) -> Value {
    folder.say(&["report", "measured", "--format", "json"]).json()
}

fn bills(server: &Server) -> BTreeMap<String, u64> {
    let requests = server.take_stats().requests;
    requests.into_iter().map(|(digest, request)| (digest, request.answered)).collect()
}

#[test]
fn an_evaluation_survives_kills_and_buys_no_completed_call_again() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listen = "127.0.0.1:0".parse().unwrap();
    let server = runtime.block_on(Server::start(Options::default(), listen)).unwrap();
    let (calm, killed) = (Folder::new(), Folder::new());
    for folder in [&calm, &killed] {
        folder.write("both.yaml", &file(&server.base_url()));
    }
    let started = SystemClock.monotonic();
    calm.say(&["run", "-f", "both.yaml"]).ok();
    let mut reach = SystemClock.monotonic().duration_since(started).as_secs_f64();
    let bought = bills(&server);
    assert!(bought.len() > 10, "{bought:?}");
    let undisturbed = report(&calm);
    let episodes = undisturbed["episodes"].as_array().unwrap();
    assert!(episodes.iter().all(|episode| episode["roles"]["agent"]["calls"].as_u64().unwrap() > 0));
    let guided = |episode: &Value| !episode["shown"]["before_calls"].is_null();
    assert!(episodes.iter().any(guided), "the memory never spoke");

    let seed = std::env::var("PALAESTRA_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed} (set PALAESTRA_TEST_SEED to draw the same moments)");
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut struck, mut kills) = (0, 0);
    while kills < KILLS {
        let mut child = killed.start(&["run", "-f", "both.yaml"]);
        let delay = Duration::from_secs_f64(random.f64() * reach);
        std::thread::sleep(delay);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        println!("kill {kills} after {delay:?}: {status}");
        kills += 1;
        struck += u64::from(status.code().is_none());
        // What is done stays done, so less and less time is left to strike in.
        reach *= 0.8;
    }
    assert!(struck > 0, "seed {seed}: no kill found the run at work");
    killed.say(&["run", "-f", "both.yaml"]).ok();
    assert_eq!(report(&killed), undisturbed, "seed {seed}");
    let again = bills(&server);
    assert!(again.keys().eq(bought.keys()), "seed {seed}: other calls were made");
    let twice: u64 = again.iter().map(|(call, times)| times - bought[call]).sum();
    assert!(twice <= KILLS * AT_A_TIME, "seed {seed}: {twice} calls were bought again");
}
