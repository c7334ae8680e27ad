//! Cells, their outputs, and what the model is told.

use std::sync::Arc;

use palaestra_domain::Outcome;
use palaestra_domain::trajectory::{EventBody, EventSource};
use palaestra_models::Message;

use super::support::{Bench, Cells, SEEN, cell, words};
use crate::code_cell::CodeCellAgent;

#[tokio::test]
async fn a_cell_is_run_its_calls_are_evidence_and_its_output_comes_back() {
    let bench = Bench::new(vec![cell("look"), cell("done")]);
    let (run, world) = bench.attempt().await;
    assert_eq!(run.outcome, Outcome::Scored { passed: true, reward: 1.0 });
    assert_eq!(world.ran, ["look", "done"]);
    let bodies: Vec<_> = run.events.iter().map(|event| (event.source, &event.body)).collect();
    let [
        (EventSource::User, EventBody::Message { .. }),
        (EventSource::Agent, EventBody::Message { text: code }),
        (EventSource::Agent, EventBody::Call { function, .. }),
        (EventSource::Environment, EventBody::Observation { content, error: false, .. }),
        (EventSource::Environment, EventBody::Notification { text: output }),
        ..,
    ] = bodies[..]
    else {
        panic!("{bodies:#?}")
    };
    assert_eq!((code.as_str(), function.as_str(), content.as_str()), ("look\n", "shop.list", "[1]"));
    assert_eq!(output, SEEN);
    assert_eq!(bench.heard()[1], format!("Output:\n```\n{SEEN}\n```"));
    assert_eq!(bench.requests()[1].messages[1], Message::assistant("Now.\n```python\nlook\n```"));
}

#[tokio::test]
async fn no_function_is_offered_as_a_tool_and_the_rules_stand_in_the_system_text() {
    let bench = Bench::new(vec![cell("done")]);
    bench.attempt().await;
    let request = bench.requests().remove(0);
    assert!(request.tools.is_empty());
    assert!(request.system.ends_with("\n\nComplete with done."), "{}", request.system);
    assert_eq!(request.messages, [Message::user("Look, then be done.")]);
}

#[tokio::test]
async fn a_long_output_is_cut_visibly_for_the_model_and_kept_for_the_trajectory() {
    let mut bench = Bench::new(vec![cell("look"), cell("done")]);
    bench.settings.most_output_chars = 6;
    let (run, _) = bench.attempt().await;
    let cut = format!("Output:\n```\na long\n[cut off here: 6 of {} characters are shown]\n```", SEEN.len());
    assert_eq!(bench.heard()[1], cut);
    let whole =
        run.events.iter().any(|event| event.body == EventBody::Notification { text: SEEN.to_owned() });
    assert!(whole, "{:?}", run.events);
}

#[tokio::test]
async fn guidance_enters_once_before_the_task_and_leaves_no_trace() {
    let script = || vec![cell("look"), words("Hm."), cell("done")];
    let plain = Bench::new(script());
    let mut guided = Bench::new(script());
    guided.guidance = Some(Arc::new("Read {{ all }} pages."));
    assert_eq!(plain.attempt().await.0, guided.attempt().await.0);
    for (plain, guided) in plain.requests().iter().zip(guided.requests()) {
        assert_eq!((&plain.system, &plain.messages[1..]), (&guided.system, &guided.messages[1..]));
        let Message::User { text, .. } = &guided.messages[0] else { panic!("{guided:?}") };
        let (notes, task) = text.split_once("\n\nYOUR TASK\n").unwrap();
        assert!(notes.ends_with("\n\nRead {{ all }} pages."), "{notes}");
        assert_eq!(task, "Look, then be done.");
    }
}

#[tokio::test]
async fn an_environment_without_cells_is_refused_in_words() {
    let bench = Bench::new(Vec::new());
    let mut world = Cells { no_cell: true, ..Cells::default() };
    let Outcome::NoResult { reason } = bench.attempt_in(&mut world).await.outcome else { panic!("it began") };
    assert!(reason.contains("executes no code") && bench.requests().is_empty(), "{reason}");
}

#[test]
fn the_prompts_have_an_address() {
    assert_eq!(CodeCellAgent::prompts_digest().unwrap(), CodeCellAgent::prompts_digest().unwrap());
}
