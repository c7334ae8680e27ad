//! What breaks in the package, and what it costs here: never more than the episode, and a loss of the
//! machine's is never a failure of the agent's.

use palaestra_environments::appworld::HeldOut;
use palaestra_environments::wire::RefusalKind;
use palaestra_environments::{Environment, Error};

use crate::support::Stage;

const SWALLOWS: &str =
    "while True:\n    try:\n        apis.supervisor.show_profile()\n    except Exception:\n        pass";

/// The package's own time limit fires once and is swallowed: the process is killed from outside, the
/// state saved before it is graded, and the parent goes on.
#[tokio::test]
async fn a_cell_that_swallows_its_time_limit_is_killed_and_ends_the_attempt() {
    let Some(mut stage) = Stage::hurried(2).await else { return };
    let task = stage.task("sendmoney_1");
    for code in [SWALLOWS, "sum(range(10**12))"] {
        stage.begin(&task).await;
        let process = stage.world.process_id();
        assert_eq!(stage.cell("x = 1\nprint(x)").await, "1\n");
        let output = stage.cell(code).await;
        assert!(output.contains("was killed") && stage.world.is_over(), "{output}");
        let verdict = stage.conclude().await.unwrap();
        assert_eq!(verdict.reward, 0.0);
        let solution = stage.solution(&task);
        assert!(stage.attempt(&task, &solution).await.passed);
        assert_eq!(stage.world.process_id(), process, "the parent is the same");
    }
}

#[tokio::test]
async fn a_cell_that_only_takes_too_long_is_an_answer() {
    let Some(mut stage) = Stage::hurried(2).await else { return };
    let task = stage.task("sendmoney_1");
    stage.begin(&task).await;
    stage.cell("kept = 7").await;
    let output = stage.cell("while True: pass").await;
    assert!(output.contains("timed out after 2 seconds"), "{output}");
    assert_eq!(stage.cell("print(kept)").await, "7\n");
}

/// The package would take a lost database for an unchanged one, and the task for failed.
#[tokio::test]
async fn a_state_that_is_not_whole_is_an_error_and_no_failure() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let task = stage.task("sendmoney_1");
    stage.begin(&task).await;
    let breaks = "import appworld.environment as e, pathlib\nold = e.AppWorld._save_state\n\
                  def broken(self, folder):\n    old(self, folder)\n    getattr(pathlib.Path(folder) / 'venmo.jsonl', 'unlink')()\n\
                  e.AppWorld._save_state = broken";
    stage.cell(breaks).await;
    let error = stage.conclude().await.unwrap_err();
    let Error::Refused { kind: RefusalKind::Failed, message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("venmo.jsonl missing"), "{message}");
}

#[tokio::test]
async fn a_process_that_dies_is_a_loss_and_the_next_attempt_has_another() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let task = stage.task("sendmoney_1");
    stage.begin(&task).await;
    let dead = stage.call("python.execute", serde_json::json!({ "code": "import os\nos.abort()" })).await;
    let Err(Error::Refused { message, .. }) = &dead else { panic!("{dead:?}") };
    assert!(message.contains("killed by signal 6"), "{message}");
    assert!(stage.conclude().await.is_err(), "it is not graded");
    let solution = stage.solution(&task);
    assert!(stage.attempt(&task, &solution).await.passed);
}

/// One world a process: an attempt that follows another, or is repeated, finds nothing of it.
#[tokio::test]
async fn attempts_of_one_task_and_of_others_do_not_meet() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let (one, other) = (stage.task("noteline_1"), stage.task("dropnote_1"));
    stage.begin(&one).await;
    let start = stage.world.state_hash().await.unwrap();
    let solution = stage.solution(&one);
    stage.cell(&solution).await;
    assert_ne!(start, stage.world.state_hash().await.unwrap());
    stage.begin(&other).await;
    assert!(stage.cell("print(x)\nx = 1").await.contains("NameError"));
    stage.begin(&one).await;
    assert_eq!(start, stage.world.state_hash().await.unwrap());
}

/// The world's time stands still, and ours does not.
#[tokio::test]
async fn the_worlds_clock_is_frozen_and_nothing_waits_by_it() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let task = stage.task("sendmoney_1");
    stage.begin(&task).await;
    assert_eq!(
        stage.cell("import time\nprint(DateTime.now(), time.time())").await,
        "2023-05-18 12:00:00 1684411200.0\n"
    );
}

#[tokio::test]
async fn outputs_come_whole_up_to_a_bound_that_is_marked() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let task = stage.task("sendmoney_1");
    stage.begin(&task).await;
    assert_eq!(stage.cell("print('a' * 200000)").await.len(), 200_001);
    let output = stage.cell("print('ä' * 30000000)").await;
    assert!(output.ends_with("[cut off by the environment: 30000001 characters]"), "{}", output.len());
    assert!(stage.cell("x = bytearray(8 << 30)").await.contains("MemoryError"));
    assert_eq!(
        stage.cell("```python\nprint(1)\n```").await.lines().next(),
        Some("Execution failed. Traceback:")
    );
}
