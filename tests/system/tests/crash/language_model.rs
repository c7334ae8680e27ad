//! A language model behind real HTTP: what was answered once is never paid for again.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_domain::BudgetLimits;
use palaestra_domain::run_file::RunFile;
use palaestra_methods::contramem::language::LanguageModel;
use palaestra_methods::contramem::model::ConstructionModel;
use palaestra_models::testing::LocalAccount;
use palaestra_models::{Limiter, ModelSettings, ModelsBuilder, PriceTable, Unshared};
use palaestra_runtime::SystemClock;
use palaestra_store::Store;

use crate::run::{Files, Finished, all_crashes, count_writes, to_the_end, until_crash, workshop};
use crate::service::Service;

#[test]
fn a_run_that_dies_at_any_write_buys_no_completed_call_again() {
    let service = Service::start();
    let model = |spec: &RunFile, store: Arc<dyn Store>| client(&service.url, spec, store);
    // One bank and one call at a time, so that at most one call is in flight when the run dies.
    let tasks = ["workshop/ambiguity/which_file", "workshop/ambiguity/which_event"];
    let spec = workshop("paid", &tasks, "loopback/constructor");
    let files = Files::new();
    let undisturbed = to_the_end(&spec, &files.store("undisturbed"), &model);
    let bought = service.take_bills();
    let calls = bought.len();
    assert!(undisturbed.bank.contains("skill::skill_") && undisturbed.bank.contains("function::"));
    assert_eq!((undisturbed.announced.len(), bought.values().max()), (calls, Some(&1)), "each call once");
    let writes = count_writes(&spec, &files.store("counted"), &model);
    service.take_bills();
    println!("{writes} durable writes, {calls} calls");

    let mut lost = 0;
    for (write, moment) in all_crashes(writes) {
        let place = format!("crash at write {write} of {writes}, {moment:?}");
        let file = files.store(&format!("{write}-{moment:?}"));
        until_crash(&spec, &file, &model, write, moment);
        let before = service.take_bills();
        let finished = to_the_end(&spec, &file, &model);
        let after = service.take_bills();
        assert_eq!(finished.bank, undisturbed.bank, "{place}");
        assert_eq!(finished.streams, undisturbed.streams, "{place}");
        lost += check_bills(&place, &bought, &[before, after]);
        check_announcements(&place, &undisturbed, &finished);
    }
    // The answer of every call was lost exactly once: when its own record died before its effect.
    assert_eq!(lost, calls);
}

/// Every question of the undisturbed run was paid, none more than once but the one in flight.
/// Answers how many were paid twice.
fn check_bills(place: &str, bought: &BTreeMap<String, u64>, runs: &[BTreeMap<String, u64>]) -> usize {
    let mut bills: BTreeMap<&str, u64> = BTreeMap::new();
    for (question, times) in runs.iter().flatten() {
        *bills.entry(question).or_default() += times;
    }
    assert!(
        bills.keys().copied().eq(bought.keys().map(String::as_str)),
        "{place}: other questions were asked"
    );
    let twice = bills.values().filter(|times| **times == 2).count();
    assert!(twice <= 1 && bills.values().all(|times| *times <= 2), "{place}: {:?}", bills.values());
    twice
}

/// The journal tells of every attempt: one each, two for the one that was in flight.
fn check_announcements(place: &str, undisturbed: &Finished, finished: &Finished) {
    assert!(finished.announced.keys().eq(undisturbed.announced.keys()), "{place}: other calls");
    let again: u32 = finished.announced.values().map(|times| times - 1).sum();
    assert!(again <= 1, "{place}: {:?}", finished.announced);
}

/// The client of the service, as `palaestra run` builds it.
fn client(url: &str, spec: &RunFile, store: Arc<dyn Store>) -> Arc<dyn ConstructionModel> {
    let settings =
        ModelSettings { base_url: Some(url.to_owned()), ..ModelSettings::new("openai", "constructor") };
    let clock = Arc::new(SystemClock);
    let limiter = Limiter::new(Arc::new(Unshared), clock.clone());
    let mut builder = ModelsBuilder::new(clock, PriceTable::embedded().unwrap(), false, limiter);
    let reference = builder.model(&settings).unwrap();
    let account = LocalAccount::new(store, BudgetLimits::default());
    let client = builder.build().client(&format!("run/{}", spec.metadata.name), account);
    Arc::new(LanguageModel::new(client, reference, spec.spec.construction.clone()).unwrap())
}
