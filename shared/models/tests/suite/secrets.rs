//! A key is sent, and appears nowhere else.

use std::io::Write;
use std::sync::{Arc, Mutex};

use palaestra_models::Error;
use palaestra_models::secrets::KeySource;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::support::{ROLE, Reply, Server, account, client_of, completion, ledger, request, settings, store};

const CANARY: &str = "sk-canary/7f3a9c51d2e84b60";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_key_that_the_service_echoes_is_in_no_log_error_journal_or_ledger() {
    let log = Log::default();
    let writer = log.clone();
    let _guard = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .set_default();
    let echo = format!("bad key {CANARY}, also \"{}\"", CANARY.replace('/', "\\/"));
    let server = Server::replies(vec![
        Reply::raw(503, echo.clone()),
        Reply::ok(&completion(&format!("your key is {CANARY}"))).with("x-request-id", CANARY),
        Reply::raw(200, format!("{{\"broken\": \"{CANARY}")),
        Reply::raw(200, format!("{{\"choices\": \"{CANARY}\"}}")),
        Reply::raw(401, echo),
    ])
    .await;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{CANARY}").unwrap();
    let mut keyed = settings("openai", &server.url);
    keyed.key = Some(KeySource::File(file.path().to_owned()));
    let store = store();
    let (client, model) = client_of(&account(&store), &keyed);
    let mut scope = client.scope("s");
    let answered = scope.ask(ROLE, &request(&model)).await.unwrap();
    let failed = scope.ask(ROLE, &request(&model)).await.unwrap_err();
    let Error::Call(failure) = &failed else { panic!("{failed}") };
    assert_eq!(failure.attempts, 3);
    assert!(failure.last.body.contains("[redacted key]"), "{failed}");

    for seen in server.seen() {
        assert_eq!(
            seen.headers["authorization"],
            format!("Bearer {CANARY}"),
            "the key does reach the service"
        );
    }
    let journal = store.journal_read("").await.unwrap();
    let stored: Vec<_> = journal.iter().filter_map(|entry| entry.answer.clone()).flatten().collect();
    let log = log.0.lock().unwrap().clone();
    assert!(!stored.is_empty() && !log.is_empty());
    let written = [
        format!("{answered:?}"),
        format!("{failed:?} {failed}"),
        format!("{keyed:?} {client:?} {scope:?}"),
        serde_json::to_string(&ledger(&store).await).unwrap(),
        String::from_utf8(stored).unwrap(),
        String::from_utf8(log).unwrap(),
    ];
    for text in written {
        assert!(!text.contains("7f3a9c51d2e84b60"), "{text}");
    }
}

#[tokio::test]
async fn another_key_is_the_same_request() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let store = store();
    for key in ["sk-first-0123456789", "sk-second-0123456789"] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "{key}").unwrap();
        let mut keyed = settings("openai", &server.url);
        keyed.key = Some(KeySource::File(file.path().to_owned()));
        let (client, model) = client_of(&account(&store), &keyed);
        client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    }
    assert_eq!(server.seen().len(), 1, "the second client was answered from the journal");
}
