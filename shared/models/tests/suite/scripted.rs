//! Scripted answers pass the same layers and cost nothing.

use std::io::Write as _;
use std::sync::Arc;

use palaestra_domain::NanoUsd;
use palaestra_models::{Error, Message, ModelSettings, ScriptedProvider};
use palaestra_runtime::ErrorClass;

use crate::support::{ROLE, account, builder, ledger, request, store};

#[tokio::test]
async fn a_function_answers_through_journal_and_ledger() {
    let store = store();
    let mut builder = builder(true);
    let provider = ScriptedProvider::new(|request| {
        Ok(ScriptedProvider::answer(request, format!("{} messages", request.messages.len()), Vec::new()))
    });
    let model = builder.provider("scripted", "counter", Arc::new(provider)).unwrap();
    let client = builder.build().client("run/test", account(&store));
    assert_eq!(client.scope("s").ask(ROLE, &request(&model)).await.unwrap().text, "1 messages");
    let ledger = ledger(&store).await;
    assert_eq!((ledger.spent().usd, ledger.lines[0].unpriced_calls), (NanoUsd::default(), 0));
}

#[tokio::test]
async fn a_file_answers_by_what_is_asked() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, r#"{{"when": ["hello", "terse"], "text": "hi"}}"#).unwrap();
    writeln!(
        file,
        r#"{{"when": ["mail"], "tool_calls": [{{"name": "Mail.send", "arguments": {{"to": "x"}}}}]}}"#
    )
    .unwrap();
    let mut builder = builder(false);
    let settings =
        ModelSettings { answers: Some(file.path().to_owned()), ..ModelSettings::new("scripted", "canned") };
    let model = builder.model(&settings).unwrap();
    let client = builder.build().client("run/test", account(&store()));
    let mut scope = client.scope("s");
    assert_eq!(scope.ask(ROLE, &request(&model)).await.unwrap().text, "hi");
    let mut mail = request(&model);
    mail.messages = vec![Message::user("write a mail")];
    assert_eq!(scope.ask(ROLE, &mail).await.unwrap().tool_calls[0].name, "Mail.send");
    mail.messages = vec![Message::user("something else")];
    let Error::Call(failure) = scope.ask(ROLE, &mail).await.unwrap_err() else { panic!() };
    assert_eq!((failure.last.class, failure.attempts), (ErrorClass::Rejected, 1));
}

#[tokio::test]
async fn a_broken_file_is_refused_with_its_line() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{{\"when\": [], \"text\": \"a\"}}\n{{\"wen\": []}}").unwrap();
    let settings =
        ModelSettings { answers: Some(file.path().to_owned()), ..ModelSettings::new("scripted", "canned") };
    let error = builder(false).model(&settings).unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
}
