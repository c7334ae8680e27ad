//! A whole run dies at every durable write, on either side of its effect, and the same command goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_methods::contramem::error::Error;
use palaestra_store::Store;
use palaestra_store::faulty::{FaultyStore, Moment};

use crate::support::building::store;
use crate::support::whole::{Whole, file, streams};

const SMALL: &str = "  environment: { name: workshop, taskPrefixes: [workshop/search/valid_report, workshop/search/oldest_valid] }\n  \
                     sources: [{ scripted: presumptuous }, { scripted: restless }]\n  limits: { concurrency: 1 }\n";

fn whole(store: &Arc<dyn Store>) -> Whole {
    Whole::new(store, file("dying", SMALL))
}

async fn to_the_end(store: &Arc<dyn Store>) -> (String, BTreeMap<String, Vec<Vec<u8>>>) {
    let frozen = whole(store).to_the_end().await.unwrap();
    (frozen.to_json().unwrap(), streams(store.as_ref(), "").await)
}

#[tokio::test]
async fn a_crash_at_any_write_costs_nothing() {
    let undisturbed = to_the_end(&store()).await;
    let counting = Arc::new(FaultyStore::counting(store()));
    let counted: Arc<dyn Store> = Arc::clone(&counting) as _;
    whole(&counted).to_the_end().await.unwrap();
    let writes = counting.writes();
    assert!(writes > 20, "{writes} writes");
    for (write, moment) in (1..=writes).flat_map(|n| [(n, Moment::Before), (n, Moment::After)]) {
        let inner = store();
        let faulty: Arc<dyn Store> = Arc::new(FaultyStore::crashing(Arc::clone(&inner), write, moment));
        let error = whole(&faulty).to_the_end().await.unwrap_err();
        assert!(matches!(error, Error::Store { .. }), "write {write}, {moment:?}: {error}");
        let resumed = to_the_end(&inner).await;
        assert!(resumed == undisturbed, "write {write}, {moment:?}");
    }
}

#[tokio::test]
async fn a_run_that_dies_again_and_again_gets_to_its_end() {
    let undisturbed = to_the_end(&store()).await;
    let inner = store();
    let mut deaths = 0;
    loop {
        // Far enough for some units, or for one more step of curation.
        let faulty: Arc<dyn Store> = Arc::new(FaultyStore::crashing(Arc::clone(&inner), 14, Moment::After));
        if whole(&faulty).to_the_end().await.is_ok() {
            break;
        }
        deaths += 1;
        assert!(deaths < 50, "it makes no progress");
    }
    assert!(deaths > 1, "{deaths}");
    assert!(to_the_end(&inner).await == undisturbed);
}
