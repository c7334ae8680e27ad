//! Runs over attempts that were recorded elsewhere.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use palaestra_domain::run_file::RunFile;
use palaestra_domain::{SourceId, Trajectory};
use palaestra_environments::recorded::Writer;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::run::{RunEvent, RunView, Stage, Summary};
use palaestra_methods::contramem::stored_packet::{StoredPacket, contrast};
use palaestra_store::Store;

use crate::support::attempts::ability;
use crate::support::building::{store, two_abilities};
use crate::support::whole::{Whole, file};

fn write(folder: &Path, name: &str, attempts: impl IntoIterator<Item = Trajectory>) {
    let mut writer = Writer::new(File::create(folder.join(name)).unwrap()).unwrap();
    attempts.into_iter().for_each(|attempt| writer.write(&attempt).unwrap());
    writer.finish().unwrap();
}

fn spec(sources: &str) -> RunFile {
    file(
        "shop",
        &format!("  environment: {{ name: recorded, taskPrefixes: [shop/] }}\n  sources: [{sources}]\n"),
    )
}

fn whole(store: &Arc<dyn Store>, folder: &Path, sources: &str) -> Whole {
    Whole { base: folder.to_path_buf(), ..Whole::new(store, spec(sources)) }
}

/// A folder with the attempts of two abilities, in one file.
fn recordings() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.jsonl", two_abilities().into_iter().flatten());
    folder
}

#[tokio::test]
async fn a_recorded_run_builds_the_packets_of_its_recordings() {
    let folder = recordings();
    let run = Whole { workers: 3, ..whole(&store(), folder.path(), "{ recorded: all.jsonl }") };
    let frozen = run.to_the_end().await.unwrap();
    assert!(frozen.counts().functions > 0 && frozen.counts().skills[&ability("orders")] > 0);
    let view = RunView::read(Arc::clone(&run.store), run.name()).await.unwrap();
    let tasks = two_abilities();
    assert_eq!(view.packets().len(), tasks.len());
    for mut attempts in tasks {
        attempts.sort_by_key(|attempt| (attempt.source.clone(), attempt.trial));
        let packet: StoredPacket = view.packet(&attempts[0].task.id).await.unwrap();
        let bank = &packet.packet.identity.ability;
        for attempt in &mut attempts {
            attempt.task.scenario.clone_from(&packet.packet.identity.scenario);
        }
        assert_eq!(contrast(&attempts, bank).unwrap().0, packet);
    }
    let attempts: Vec<Trajectory> = two_abilities().into_iter().flatten().collect();
    let heard = run.heard().iter().filter(|stage| **stage == Stage::Attempt).count();
    assert_eq!((heard, Summary::of(&view).trajectories), (attempts.len(), attempts.len()));
    let line = view.events.iter().find_map(|event| match event {
        RunEvent::Attempted { trajectory, .. } => Some(*trajectory),
        _ => None,
    });
    let read = view.trajectory(&line.unwrap()).await.unwrap();
    assert!(attempts.iter().any(|attempt| attempt.key() == read.key() && attempt.events == read.events));
}

#[tokio::test]
async fn the_same_attempt_in_two_sources_is_refused() {
    let folder = recordings();
    write(folder.path(), "again.jsonl", two_abilities().remove(0));
    let sources = "{ recorded: all.jsonl }, { recorded: again.jsonl }";
    let error = whole(&store(), folder.path(), sources).plan().await.unwrap_err();
    assert!(matches!(error, Error::RepeatedAttempt { .. }), "{error}");
}

#[tokio::test]
async fn records_that_cannot_be_read_are_counted_and_named_relative_to_the_run_file() {
    let folder = recordings();
    let all = std::fs::read_to_string(folder.path().join("all.jsonl")).unwrap();
    std::fs::write(folder.path().join("all.jsonl"), all + "{\"task\": 1}\n").unwrap();
    let run = whole(&store(), folder.path(), "{ recorded: all.jsonl }");
    let plan = run.plan().await.unwrap();
    assert_eq!(plan.submission.refused.len(), 1);
    assert_eq!(plan.submission.refused[0].file, "all.jsonl");
    run.curation(&plan.submission).await.unwrap();
    let view = RunView::read(Arc::clone(&run.store), run.name()).await.unwrap();
    assert_eq!(Summary::of(&view).refused, 1);
    assert!(view.events.contains(&RunEvent::Refused(plan.submission.refused[0].clone())));
}

#[tokio::test]
async fn only_wanted_attempts_are_planned_and_held_out_tasks_are_apart() {
    let folder = recordings();
    let of = async |run: RunFile| {
        let run = Whole { base: folder.path().to_path_buf(), ..Whole::new(&store(), run) };
        run.plan().await.unwrap()
    };
    let all = of(spec("{ recorded: all.jsonl }")).await;
    let mut sources: Vec<&SourceId> =
        all.submission.tasks.values().flat_map(|task| task.attempts.keys()).collect();
    sources.sort();
    let only = of(spec(&format!("{{ recorded: all.jsonl, only: [{}] }}", sources[0]))).await;
    assert!(only.submission.tasks.values().all(|task| task.attempts.keys().eq([sources[0]])));

    let mut orders = spec("{ recorded: all.jsonl }");
    orders.spec.environment.task_prefixes = vec!["shop/orders/".to_owned()];
    let orders = of(orders).await;
    assert!(orders.units.iter().all(|unit| unit.bank == Some(ability("orders"))));
    assert_eq!(2 * orders.units.len(), all.units.len());

    let mut apart = spec("{ recorded: all.jsonl }");
    apart.spec.environment.held_out_percent = 40;
    let apart = of(apart).await;
    let held = apart.submission.held_out.len();
    assert!(held > 0 && held + apart.units.len() == all.units.len(), "{held}");
    assert!(apart.units.iter().all(|unit| !apart.submission.held_out.contains_key(&unit.task)));

    let mut none = spec("{ recorded: all.jsonl }");
    none.spec.environment.task_prefixes = vec!["elsewhere/".to_owned()];
    let run = Whole { base: folder.path().to_path_buf(), ..Whole::new(&store(), none) };
    assert!(matches!(run.plan().await.unwrap_err(), Error::NoAttempts { .. }));
}
