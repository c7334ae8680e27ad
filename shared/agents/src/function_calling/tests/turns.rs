//! What one answer means.

use palaestra_domain::TokenUsage;
use palaestra_models::{Arguments, Finish, ModelResponse, ToolCall};

use crate::conversation::Fault;
use crate::function_calling::turn::Turn;

fn turn(text: &str, calls: usize, finish: Finish) -> Turn {
    let call = ToolCall { id: "1".into(), name: "mail.send".into(), arguments: Arguments::parse("{}") };
    Turn::of(ModelResponse {
        text: text.to_owned(),
        reasoning: None,
        tool_calls: vec![call; calls],
        finish,
        usage: TokenUsage::default(),
        usage_estimated: false,
        decoded_lossily: false,
        answered_by: "m".into(),
        request_id: None,
    })
}

#[test]
fn an_answer_is_calls_or_words_or_unusable() {
    assert!(
        matches!(turn("", 2, Finish::ToolCalls), Turn::Calls { text, calls } if text.is_empty() && calls.len() == 2)
    );
    assert!(matches!(turn("so", 1, Finish::Stop), Turn::Calls { text, .. } if text == "so"));
    assert!(matches!(turn(" \n", 1, Finish::Stop), Turn::Calls { text, .. } if text.is_empty()));
    assert_eq!(turn(" hi\n", 0, Finish::Stop), Turn::Words(" hi\n".into()));
    assert_eq!(turn("hi", 0, Finish::Other("eos".into())), Turn::Words("hi".into()));
    assert_eq!(turn(" \n", 0, Finish::Stop), Turn::Unusable(Fault::Empty));
    assert_eq!(turn("", 0, Finish::ToolCalls), Turn::Unusable(Fault::Empty));
}

#[test]
fn what_is_cut_off_or_withheld_is_never_taken_for_an_answer() {
    for (text, calls) in [("half a sen", 0), ("", 1), ("so", 1), ("", 0)] {
        assert_eq!(turn(text, calls, Finish::Length), Turn::Unusable(Fault::CutOff));
        assert_eq!(turn(text, calls, Finish::ContentFilter), Turn::Unusable(Fault::Withheld));
    }
}
