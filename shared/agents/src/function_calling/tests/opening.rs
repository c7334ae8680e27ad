//! What the model is told before it does anything.

use palaestra_models::Message;

use super::support::{Bench, finish, task, words};
use crate::function_calling::{Ending, FINISH, FunctionCallingAgent};

#[tokio::test]
async fn without_guidance_the_task_stands_alone() {
    let bench = Bench::new(vec![finish("Done.")]);
    bench.attempt().await;
    let request = bench.requests().remove(0);
    assert_eq!(request.messages, [Message::user(task().instruction)]);
    assert!(request.tools.iter().any(|tool| tool.name.as_str() == FINISH));
    assert!(request.tools.len() > 10 && request.system.contains("`finish`"), "{}", request.system);
}

#[tokio::test]
async fn guidance_enters_the_first_message_apart_from_the_task_and_leaves_no_trace() {
    let plain = Bench::new(vec![words("Which one?"), finish("Done.")]);
    let mut guided = Bench::new(vec![words("Which one?"), finish("Done.")]);
    guided.guidance = Some("Compare {{ companies }} before you write.");
    let (without, with) = (plain.attempt().await, guided.attempt().await);
    assert_eq!(without, with, "the trajectory tells nothing of the guidance");
    for (plain, guided) in plain.requests().iter().zip(guided.requests()) {
        assert_eq!((&plain.system, &plain.messages[1..]), (&guided.system, &guided.messages[1..]));
        let Message::User { text, .. } = &guided.messages[0] else { panic!("{guided:?}") };
        let (notes, rest) = text.split_once("\n\nYOUR TASK\n").unwrap();
        assert!(notes.starts_with("NOTES FROM EARLIER TASKS\n"), "{notes}");
        assert!(notes.ends_with("\n\nCompare {{ companies }} before you write."), "{notes}");
        assert_eq!(rest, task().instruction);
    }
}

#[tokio::test]
async fn where_there_is_no_user_there_is_no_finish_tool_and_words_end_the_attempt() {
    let mut bench = Bench::new(vec![words("All done.")]);
    bench.settings.ending = Ending::ByWords;
    let run = bench.attempt().await;
    let last = serde_json::to_value(run.events.last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["text"]), (&"final_response".into(), &"All done.".into()));
    let request = bench.requests().remove(0);
    assert!(!request.tools.iter().any(|tool| tool.name.as_str() == FINISH));
    assert!(!request.system.contains("`finish`") && request.system.contains("Nobody can be asked"));
}

#[test]
fn the_prompts_have_an_address() {
    let digest = FunctionCallingAgent::prompts_digest().unwrap();
    assert_eq!(digest, FunctionCallingAgent::prompts_digest().unwrap());
}
