//! The fence before every write, and money after what is durable.

use std::sync::Arc;

use palaestra_domain::{Digest, FailureClass, Lease, NanoUsd, Spend};
use palaestra_store::faulty::{FaultyStore, Moment};
use palaestra_store::{CallKey, Error as StoreError, JournalEntry, SqliteStore, Store};

use super::*;
use crate::Answer;
use crate::core::Leading;
use crate::core::tests::leading::lead;
use crate::state::tests::support::{fail, register, run, submit, worker};

fn usd(nano: u64) -> Spend {
    Spend { usd: NanoUsd(nano), tokens: 0 }
}

fn key() -> CallKey {
    CallKey { scope: "run/a/unit".to_owned(), ordinal: 0 }
}

struct Desk {
    core: Core,
    books: Books,
    lease: Lease,
    _leading: Leading,
}

impl Desk {
    /// Books on a store, and a lease that pays.
    async fn new(store: Arc<dyn Store>) -> Self {
        let (core, leading) = lead(&store).await;
        core.ask(submit("a", 1)).await.unwrap();
        core.ask(register("w", 1)).await.unwrap();
        let asked = core.ask(Command::RequestUnits { worker: worker("w"), most: 1 }).await.unwrap();
        let Answer::Units(grants) = asked else { panic!("no units") };
        Self { books: Books::new(core.clone()), core, lease: grants[0].lease.clone(), _leading: leading }
    }

    fn payer(&self) -> Payer {
        Payer::Lease(self.lease.clone())
    }

    async fn answer(&self, words: &[u8], hold: u32, used: u64) -> Result<(), BooksError> {
        let (payer, request) = (self.payer(), Digest::of(b"request"));
        self.books.answer(&payer, &key(), request, words.to_vec(), hold, usd(used)).await
    }

    async fn money(&self) -> (Spend, Spend, u64) {
        let ledger = self.core.view(|state| state.run(&run("a")).unwrap().ledger().clone()).await.unwrap();
        (ledger.spent(), ledger.held(), ledger.may_have_billed())
    }
}

fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in_memory().unwrap())
}

#[tokio::test]
async fn an_answer_is_durable_and_its_hold_is_settled() {
    let desk = Desk::new(store()).await;
    let (payer, request) = (desk.payer(), Digest::of(b"request"));
    desk.books.reserve(&payer, 0, usd(50)).await.unwrap();
    desk.books.intend(&payer, &key(), request).await.unwrap();
    for _ in 0..2 {
        desk.answer(b"answer", 0, 20).await.unwrap();
    }
    assert_eq!(desk.money().await, (usd(20), usd(0), 0));
    let known = desk.books.recall(&payer, &key(), request).await.unwrap();
    assert_eq!((known.open, known.answer.as_deref()), (0, Some(&b"answer"[..])));
    let entries = desk.core.store().journal_get(&key()).await.unwrap();
    assert_eq!((entries.len(), entries[0].attempts), (1, 1));
}

#[tokio::test]
async fn a_second_answer_is_paid_for_and_the_first_stays() {
    let desk = Desk::new(store()).await;
    let payer = desk.payer();
    desk.books.intend(&payer, &key(), Digest::of(b"request")).await.unwrap();
    for (hold, words) in [(0, b"first".as_slice()), (1, b"other".as_slice())] {
        desk.books.reserve(&payer, hold, usd(50)).await.unwrap();
        let kept = desk.answer(words, hold, 20).await;
        assert_eq!(kept.is_ok(), hold == 0);
        if let Err(error) = kept {
            assert!(matches!(error, BooksError::Store(StoreError::AnswerExists { .. })), "{error}");
        }
    }
    assert_eq!(desk.money().await, (usd(40), usd(0), 0));
    let known = desk.books.recall(&payer, &key(), Digest::of(b"request")).await.unwrap();
    assert_eq!(known.answer.as_deref(), Some(&b"first"[..]));
}

#[tokio::test]
async fn whose_lease_is_over_writes_nothing_but_an_answer_that_was_paid_for() {
    let desk = Desk::new(store()).await;
    let (payer, request) = (desk.payer(), Digest::of(b"request"));
    desk.books.reserve(&payer, 0, usd(50)).await.unwrap();
    desk.books.intend(&payer, &key(), request).await.unwrap();
    desk.core.ask(fail(&desk.lease, FailureClass::Preemption)).await.unwrap();
    let stale = |result: Result<(), BooksError>| match result {
        Err(BooksError::Ask(AskError::Refused(Refusal::Stale { .. }))) => {}
        other => panic!("{other:?}"),
    };
    stale(desk.answer(b"late", 0, 20).await);
    stale(desk.books.intend(&payer, &key(), request).await);
    stale(desk.books.withdraw(&payer, &key(), request).await);
    stale(desk.books.reserve(&payer, 1, usd(1)).await);
    stale(desk.books.lost(&payer, 0).await);
    stale(desk.books.release(&payer, 0).await);
    stale(desk.books.recall(&payer, &key(), request).await.map(drop));
    let entries = desk.core.store().journal_get(&key()).await.unwrap();
    // Whoever has the unit next need not buy it again; its hold was counted when the lease ended.
    assert_eq!((entries[0].attempts, entries[0].answer.as_deref()), (1, Some(&b"late"[..])));
    assert_eq!(desk.money().await, (usd(50), usd(0), 1));
}

#[tokio::test]
async fn an_answer_that_holds_nothing_is_not_kept() {
    let desk = Desk::new(store()).await;
    desk.books.intend(&desk.payer(), &key(), Digest::of(b"request")).await.unwrap();
    let error = desk.answer(b"answer", 7, 20).await.unwrap_err();
    assert!(
        matches!(error, BooksError::Ask(AskError::Refused(Refusal::UnknownCall { call: 7, .. }))),
        "{error}"
    );
    assert_eq!(desk.core.store().journal_get(&key()).await.unwrap()[0].answer, None);
}

#[tokio::test]
async fn a_withdrawn_announcement_was_never_billed() {
    let desk = Desk::new(store()).await;
    let (payer, request) = (desk.payer(), Digest::of(b"request"));
    desk.books.reserve(&payer, 0, usd(50)).await.unwrap();
    desk.books.intend(&payer, &key(), request).await.unwrap();
    desk.books.withdraw(&payer, &key(), request).await.unwrap();
    desk.books.release(&payer, 0).await.unwrap();
    let entries = desk.core.store().journal_get(&key()).await.unwrap();
    assert_eq!(entries.iter().map(JournalEntry::may_have_billed).sum::<u32>(), 0);
    assert_eq!(desk.books.recall(&payer, &key(), request).await.unwrap().open, 0);
    assert_eq!(desk.money().await, (usd(0), usd(0), 0));
}

/// The answer that cannot be written is not settled: the hold stays, and the same answer again is
/// kept and settled.
#[tokio::test]
async fn nothing_is_settled_before_it_is_durable() {
    let counting = Arc::new(FaultyStore::counting(store()));
    let desk = Desk::new(Arc::<FaultyStore>::clone(&counting) as _).await;
    let payer = desk.payer();
    desk.books.reserve(&payer, 0, usd(50)).await.unwrap();
    desk.books.intend(&payer, &key(), Digest::of(b"request")).await.unwrap();
    let writes = counting.writes();
    let faulty: Arc<dyn Store> = Arc::new(FaultyStore::crashing(store(), writes + 1, Moment::Before));
    let desk = Desk::new(faulty).await;
    desk.books.reserve(&payer, 0, usd(50)).await.unwrap();
    desk.books.intend(&payer, &key(), Digest::of(b"request")).await.unwrap();
    let error = desk.answer(b"answer", 0, 20).await.unwrap_err();
    assert!(matches!(error, BooksError::Store(StoreError::Crashed { .. })), "{error}");
    assert_eq!(desk.money().await, (usd(0), usd(50), 0));
}
