//! What was bought, held against what the journal says: the service counts, the journal explains.
//!
//! The service names every answer after its request, and the journal keeps that name, so each sale
//! can be laid beside the calls that it was for.

use std::collections::BTreeMap;

use palaestra_model_server::{RequestStats, Server, Stats};
use palaestra_models::Ledger;
use serde_json::Value;

use crate::cluster::Place;
use crate::lab::{self, Lab, number, text};

/// A run's journal, by the names that the service gave its answers.
pub struct Journal {
    requests: BTreeMap<String, Kept>,
    unanswered: usize,
    ledger: Ledger,
}

/// What the journal holds of one request, under however many keys.
#[derive(Default)]
struct Kept {
    /// Keys with an answer.
    answers: u64,
    /// Announcements and attempts without one: they may have been billed.
    may_have_billed: u64,
}

impl Journal {
    /// Reads the journal beside its writer.
    pub fn read(place: &Place, run: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.unwrap().block_on(async {
            let (store, scope) = (place.open().await, format!("run/{run}/"));
            let mut requests = BTreeMap::<String, Kept>::new();
            let mut unanswered = 0;
            for entry in store.journal_read(&scope).await.unwrap() {
                let Some(answer) = &entry.answer else {
                    unanswered += 1;
                    continue;
                };
                let record: Value = serde_json::from_slice(answer).unwrap();
                let name = text(&record["response"]["request_id"]).to_owned();
                let kept = requests.entry(name).or_default();
                kept.answers += 1;
                kept.may_have_billed += u64::from(entry.may_have_billed()) + number(&record["lost_attempts"]);
            }
            Self { requests, unanswered, ledger: Ledger::read(store, &scope).await.unwrap() }
        })
    }

    fn answers(&self, request: &str) -> u64 {
        self.requests.get(request).map_or(0, |kept| kept.answers)
    }

    /// Holds the whole run against what was sold meanwhile:
    ///
    /// - the ledger is the undisturbed run's to the last token;
    /// - each request was sold as often as the undisturbed run needed it, and beyond that at most as
    ///   often as the journal says that it may have been billed;
    /// - the run's own count of such calls covers them all.
    #[track_caller]
    pub fn assert_paid_once(&self, lab: &Lab, sold: &Stats, may_have_billed: u64) {
        assert_eq!((self.unanswered, self.ledger.divergences), (0, 0));
        let lines = serde_json::to_value(&self.ledger.lines).unwrap();
        let by_model = |lines: &Value| {
            let lines = lines.as_array().unwrap().iter();
            let key = |line: &Value| format!("{} {}", line["role"], line["model"]["model"]);
            lines
                .map(|line| (key(line), (line["calls"].clone(), line["usage"].clone())))
                .collect::<BTreeMap<_, _>>()
        };
        assert_eq!(by_model(&lines), by_model(&lab.summary["ledger"]["lines"]), "the ledger");
        let extra = self.beyond_need(&lab.sold, sold);
        let counted = self.ledger.may_have_billed;
        println!(
            "sold beyond need: {extra}; may have been billed: {counted} in the journal, {may_have_billed} in the budget"
        );
        assert!(extra <= counted && extra <= may_have_billed, "{extra} answers were sold beyond need");
    }

    /// How many answers were sold beyond what was wanted, each of them one that the journal has announced
    /// once more than it was answered.
    #[track_caller]
    fn beyond_need(&self, wanted: &Stats, sold: &Stats) -> u64 {
        let asked = |stats: &Stats| stats.requests.keys().cloned().collect::<Vec<_>>();
        assert_eq!(asked(sold), asked(wanted), "every request was sold, and no other one");
        let beyond = sold.requests.iter().map(|(digest, request)| {
            let (needed, kept) = (wanted.requests[digest].answered, &self.requests[&name(digest)]);
            assert_eq!(kept.answers, needed, "answers of {digest} in the journal");
            let beyond = request.answered.saturating_sub(needed);
            assert!(request.answered >= needed, "{digest} was answered, and not sold: {request:?}");
            assert!(
                beyond <= kept.may_have_billed,
                "{digest} was sold {beyond} times too often, unannounced"
            );
            beyond
        });
        beyond.sum()
    }
}

/// The name that the service gives an answer.
fn name(digest: &str) -> String {
    format!("chatcmpl-{}", digest.get(..12).unwrap_or(digest))
}

/// Remembers requests whose every answer was durable at some moment, and how often they had been begun
/// by then: from that moment on, nobody may ask them again.
#[derive(Default)]
pub struct Witness(BTreeMap<String, u64>);

impl Witness {
    /// Looks once more. The journal is read first: what is begun between the two looks is forgiven.
    pub fn look(&mut self, lab: &Lab, place: &Place, run: &str, server: &Server) {
        let journal = Journal::read(place, run);
        let sold = lab::sold(server);
        for (digest, request) in &sold.requests {
            let wanted = lab.sold.requests.get(digest).map(|request| request.answered);
            if Some(journal.answers(&name(digest))) == wanted {
                self.0.entry(digest.clone()).or_insert(request.started);
            }
        }
    }

    /// Nothing was asked again after its answer was durable.
    #[track_caller]
    pub fn assert_nothing_again(&self, sold: &Stats) {
        for (digest, begun) in &self.0 {
            let since = sold.requests.get(digest).map_or(0, |request| request.started);
            assert_eq!(since, *begun, "{digest} was asked again after its answer was durable");
        }
        println!(
            "{} answers were durable while something was killed, and none was asked for again",
            self.0.len()
        );
    }
}

/// A book with one request.
fn book(started: u64, answered: u64) -> Stats {
    let request = RequestStats { model: "hasty".to_owned(), started, answered };
    Stats { requests: BTreeMap::from([("0123456789abcdef".to_owned(), request)]), ..Stats::default() }
}

fn journal(may_have_billed: u64) -> Journal {
    let kept = Kept { answers: 1, may_have_billed };
    let requests = BTreeMap::from([("chatcmpl-0123456789ab".to_owned(), kept)]);
    Journal { requests, unanswered: 0, ledger: Ledger::default() }
}

#[test]
fn what_may_have_been_billed_is_beyond_need_and_allowed() {
    assert_eq!(journal(0).beyond_need(&book(1, 1), &book(2, 1)), 0);
    assert_eq!(journal(2).beyond_need(&book(1, 1), &book(3, 2)), 1);
}

#[test]
#[should_panic(expected = "1 times too often, unannounced")]
fn a_sale_that_nobody_announced_is_found() {
    journal(0).beyond_need(&book(1, 1), &book(2, 2));
}

#[test]
#[should_panic(expected = "asked again after its answer was durable")]
fn a_request_that_is_asked_again_is_found() {
    Witness(BTreeMap::from([("0123456789abcdef".to_owned(), 1)])).assert_nothing_again(&book(2, 1));
}
