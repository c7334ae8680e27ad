//! What every backend must do, as one suite that a backend's tests call.
//!
//! A violated promise panics with the promise; an unexpected refusal is returned as the error that
//! it is.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use palaestra_domain::Digest;

use crate::error::Error;
use crate::event_log::{StoredEvent, StreamName};
use crate::journal::{CallKey, JournalEntry};
use crate::store::Store;

/// Where one store lives.
#[async_trait]
pub trait Place: Send + Sync {
    /// Opens the store that lives here, new or again. Earlier openings have been dropped.
    async fn open(&self) -> Result<Arc<dyn Store>, Error>;
}

/// Runs the whole suite; `fresh` answers a place with an empty store each time.
///
/// # Errors
/// Whatever the backend refused against its contract.
///
/// # Panics
/// When the backend breaks a promise.
pub async fn check<P: Place>(mut fresh: impl FnMut() -> P) -> Result<(), Error> {
    positions_and_conflicts(&*fresh().open().await?).await?;
    prefixes(&*fresh().open().await?).await?;
    concurrent_appenders(&*fresh().open().await?).await?;
    journal_pairs(&*fresh().open().await?).await?;
    journal_withdrawn(&*fresh().open().await?).await?;
    journal_order(&*fresh().open().await?).await?;
    blobs(&*fresh().open().await?).await?;
    reopening(&fresh()).await
}

fn stream(name: &str) -> Result<StreamName, Error> {
    Ok(StreamName::new(name)?)
}

fn events(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn stored(from: u64, texts: &[&str]) -> Vec<StoredEvent> {
    (from..).zip(events(texts)).map(|(position, bytes)| StoredEvent { position, bytes }).collect()
}

fn call(scope: &str, ordinal: u32) -> CallKey {
    CallKey { scope: scope.to_owned(), ordinal }
}

async fn positions_and_conflicts(store: &dyn Store) -> Result<(), Error> {
    let log = stream("positions")?;
    assert!(store.read(&log, 0).await?.is_empty(), "a stream that was never written to is empty");
    assert_eq!(store.append(&log, 0, Vec::new()).await?, 0, "appending nothing is allowed");
    assert!(store.streams("").await?.is_empty(), "appending nothing makes no stream");
    assert_eq!(store.append(&log, 0, events(&["a", "b"])).await?, 2, "an append answers the new length");
    assert_eq!(store.append(&log, 2, events(&["", "d"])).await?, 4, "an empty event is an event");
    for wrong in [0, 3, 5, u64::MAX] {
        for late in [events(&["x", "y"]), Vec::new()] {
            let refused = store.append(&log, wrong, late).await;
            assert!(
                matches!(&refused, Err(Error::Conflict { stream, expected, actual: 4 })
                    if *stream == log && *expected == wrong),
                "an append at {wrong} of 4 is a conflict, got {refused:?}"
            );
        }
    }
    assert_eq!(store.read(&log, 0).await?, stored(0, &["a", "b", "", "d"]), "conflicts leave no trace");
    assert_eq!(store.read(&log, 3).await?, stored(3, &["d"]), "reading starts where it is told to");
    assert!(store.read(&log, 4).await?.is_empty(), "there is nothing after the end");
    assert!(store.read(&log, u64::MAX).await?.is_empty(), "there is nothing far after the end");
    Ok(())
}

async fn prefixes(store: &dyn Store) -> Result<(), Error> {
    let names =
        ["run/b", "run/a/2", "run/a", "run", "run/\u{10ffff}x", "rum", "run/a/10", "runs", "run/%", "Run/a"];
    for name in names {
        store.append(&stream(name)?, 0, events(&[name])).await?;
    }
    let listed = |names: Vec<StreamName>| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut sorted = names.map(str::to_owned).to_vec();
    sorted.sort_unstable();
    assert_eq!(listed(store.streams("").await?), sorted, "all streams, in byte order");
    for prefix in ["run/", "run/a", "run/a/1", "run/%", "run/\u{10ffff}", "none"] {
        let expected: Vec<String> = sorted.iter().filter(|name| name.starts_with(prefix)).cloned().collect();
        assert_eq!(listed(store.streams(prefix).await?), expected, "streams under {prefix:?}");
    }
    for name in names {
        assert_eq!(store.read(&stream(name)?, 0).await?, stored(0, &[name]), "streams do not mix");
    }
    Ok(())
}

async fn concurrent_appenders(store: &dyn Store) -> Result<(), Error> {
    let log = stream("contended")?;
    let mut waiting: Vec<String> = (0..16).map(|appender| format!("appender {appender}")).collect();
    let mut winners = Vec::new();
    for length in (0_u64..32).step_by(2) {
        let attempts = waiting.iter().map(|who| store.append(&log, length, events(&[who, who])));
        // Each appender writes two events; the loser of a pair must not leave one of them.
        let outcomes = join_all(attempts.collect::<Vec<_>>()).await;
        let mut winner = None;
        for (who, outcome) in waiting.iter().zip(outcomes) {
            match outcome {
                Ok(longer) => {
                    assert_eq!(longer, length + 2);
                    assert!(winner.replace(who.clone()).is_none(), "exactly one of the appenders wins");
                }
                Err(Error::Conflict { actual, .. }) => {
                    assert_eq!(actual, length + 2, "losers learn the length")
                }
                Err(other) => return Err(other),
            }
        }
        assert!(winner.is_some(), "one of the appenders wins");
        waiting.retain(|who| winner.as_ref() != Some(who));
        winners.extend(winner.iter().cloned().chain(winner.clone()));
    }
    let texts: Vec<&str> = winners.iter().map(String::as_str).collect();
    assert_eq!(store.read(&log, 0).await?, stored(0, &texts), "the log holds the winners, in order");
    Ok(())
}

async fn journal_pairs(store: &dyn Store) -> Result<(), Error> {
    let key = call("unit", 3);
    let (first, second) = (Digest::of(b"first request"), Digest::of(b"second request"));
    assert!(store.journal_get(&key).await?.is_empty(), "an unknown call has no entries");
    let early = store.journal_answer(&key, first, b"early".to_vec()).await;
    assert!(
        matches!(early, Err(Error::AnswerWithoutIntent { .. })),
        "an answer needs an intent, got {early:?}"
    );
    assert!(store.journal_get(&key).await?.is_empty(), "a refused answer leaves no trace");

    store.journal_intend(&key, first).await?;
    store.journal_intend(&key, first).await?;
    let mut one = JournalEntry { key: key.clone(), request: first, attempts: 2, answer: None };
    assert_eq!(store.journal_get(&key).await?, [one.clone()], "each intent counts");
    assert_eq!(one.may_have_billed(), 2);

    store.journal_answer(&key, first, b"answer".to_vec()).await?;
    store.journal_answer(&key, first, b"answer".to_vec()).await?;
    let other = store.journal_answer(&key, first, b"another".to_vec()).await;
    assert!(matches!(other, Err(Error::AnswerExists { .. })), "the first answer stays, got {other:?}");
    one.answer = Some(b"answer".to_vec());
    assert_eq!(store.journal_get(&key).await?, [one.clone()], "the first answer is kept as it came");
    assert_eq!(one.may_have_billed(), 1);

    store.journal_intend(&key, second).await?;
    store.journal_answer(&key, second, Vec::new()).await?;
    let two = JournalEntry { key: key.clone(), request: second, attempts: 1, answer: Some(Vec::new()) };
    assert_eq!(store.journal_get(&key).await?, [one, two], "a divergence is kept beside the first request");
    assert!(store.journal_get(&call("unit", 4)).await?.is_empty(), "keys do not mix");
    Ok(())
}

async fn journal_withdrawn(store: &dyn Store) -> Result<(), Error> {
    let key = call("unit", 3);
    let (first, second) = (Digest::of(b"first request"), Digest::of(b"second request"));
    let entry = |request, attempts| JournalEntry { key: key.clone(), request, attempts, answer: None };
    store.journal_withdraw(&key, first).await?;
    store.journal_intend(&key, first).await?;
    store.journal_withdraw(&key, first).await?;
    store.journal_withdraw(&key, first).await?;
    assert!(store.journal_get(&key).await?.is_empty(), "a call that was taken back was never announced");
    assert!(store.journal_read("").await?.is_empty(), "and it is not listed");
    let late = store.journal_answer(&key, first, b"late".to_vec()).await;
    assert!(matches!(late, Err(Error::AnswerWithoutIntent { .. })), "it has no answer, got {late:?}");

    store.journal_intend(&key, first).await?;
    store.journal_intend(&key, second).await?;
    store.journal_withdraw(&key, first).await?;
    store.journal_intend(&key, first).await?;
    store.journal_intend(&key, first).await?;
    store.journal_intend(&key, first).await?;
    store.journal_withdraw(&key, first).await?;
    let kept = [entry(second, 1), entry(first, 2)];
    assert_eq!(store.journal_get(&key).await?, kept, "an announcement after the last was taken back is new");

    store.journal_answer(&key, first, b"answer".to_vec()).await?;
    for _ in 0..3 {
        store.journal_withdraw(&key, first).await?;
    }
    let answered = JournalEntry { answer: Some(b"answer".to_vec()), ..entry(first, 1) };
    let kept = [entry(second, 1), answered];
    assert_eq!(store.journal_get(&key).await?, kept, "what was answered cannot be taken back");
    Ok(())
}

async fn journal_order(store: &dyn Store) -> Result<(), Error> {
    // Announced in an order that is neither that of the keys nor that of the digests.
    let calls =
        [("run/b", 0), ("run/a", 10), ("run/a", 2), ("other", 0), ("run", 0), ("run/a", 2), ("run/aa", 1)];
    let mut expected = Vec::new();
    for (index, (scope, ordinal)) in calls.into_iter().enumerate() {
        let (key, request) = (call(scope, ordinal), Digest::of(&index.to_be_bytes()));
        store.journal_intend(&key, request).await?;
        expected.push(JournalEntry { key, request, attempts: 1, answer: None });
    }
    expected.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(store.journal_read("").await?, expected, "by scope, ordinal and first announcement");
    for prefix in ["run", "run/", "run/a", "none"] {
        let under: Vec<_> =
            expected.iter().filter(|entry| entry.key.scope.starts_with(prefix)).cloned().collect();
        assert_eq!(store.journal_read(prefix).await?, under, "the calls under {prefix:?}");
    }
    Ok(())
}

async fn blobs(store: &dyn Store) -> Result<(), Error> {
    let large: Vec<u8> =
        (0_u32..1_500_000).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    for bytes in [Vec::new(), b"small".to_vec(), large] {
        let digest = Digest::of(&bytes);
        let missing = store.blob_get(digest).await;
        assert!(
            matches!(missing, Err(Error::BlobMissing { .. })),
            "what was never put is missing, got {missing:?}"
        );
        assert_eq!(store.blob_put(&bytes).await?, digest, "a blob is named by its content");
        assert_eq!(store.blob_put(&bytes).await?, digest, "putting it again changes nothing");
        assert!(store.blob_get(digest).await? == bytes, "a blob of {} bytes comes back", bytes.len());
    }
    Ok(())
}

async fn reopening(place: &dyn Place) -> Result<(), Error> {
    let log = stream("kept")?;
    let key = call("kept", 0);
    let request = Digest::of(b"request");
    let large = vec![b'e'; 5_000_000];
    let all = || {
        let bytes = [b"small".to_vec(), large.clone(), large.clone()];
        (0_u64..).zip(bytes).map(|(position, bytes)| StoredEvent { position, bytes }).collect::<Vec<_>>()
    };
    let store = place.open().await?;
    store.append(&log, 0, all().into_iter().map(|event| event.bytes).collect()).await?;
    assert!(store.read(&log, 0).await? == all(), "events of several megabytes come back");
    store.journal_intend(&key, request).await?;
    store.journal_answer(&key, request, b"answer".to_vec()).await?;
    let digest = store.blob_put(b"blob").await?;
    drop(store);

    let store = place.open().await?;
    assert!(store.read(&log, 0).await? == all(), "events are kept");
    assert_eq!(store.append(&log, 3, events(&["more"])).await?, 4, "a kept stream goes on");
    let entry = JournalEntry { key: key.clone(), request, attempts: 1, answer: Some(b"answer".to_vec()) };
    assert_eq!(store.journal_get(&key).await?, [entry], "calls are kept");
    assert_eq!(store.blob_get(digest).await?, b"blob", "blobs are kept");
    assert_eq!(store.streams("").await?, [log], "streams are kept");
    Ok(())
}
