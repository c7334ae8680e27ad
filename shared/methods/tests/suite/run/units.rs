//! Single units: their results are small, and what they cannot do is an error of a class.

use std::fs::File;
use std::sync::Arc;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::packet::ContrastKind;
use palaestra_domain::{BudgetLimits, Digest, FailureClass, Outcome, Tally};
use palaestra_environments::recorded::Writer;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::run::{MOST_ATTEMPTS, ReferenceResult};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{Limiter, ModelClient, ModelSettings, ModelsBuilder, PriceTable, Unshared};
use palaestra_runtime::SystemClock;

use crate::support::attempts::{attempt, failed, passed};
use crate::support::building::store;
use crate::support::whole::{Whole, file};

#[tokio::test]
async fn a_unit_gives_the_same_result_again() {
    let spec = "  environment: { name: workshop, taskPrefixes: [workshop/search/] }\n  \
                sources: [{ scripted: restless, trials: 2 }, { scripted: hasty }]\n";
    let run = Whole::new(&store(), file("units", spec));
    for unit in &run.plan().await.unwrap().units {
        let address = run.work(unit).await.unwrap();
        assert_eq!(run.work(unit).await.unwrap(), address);
        let result = ReferenceResult::decode(&run.store.blob_get(address).await.unwrap()).unwrap();
        let who: Vec<(&str, u32)> = result.attempts.iter().map(|a| (a.source.as_str(), a.trial)).collect();
        assert_eq!(who, [("scripted/hasty", 0), ("scripted/restless", 0), ("scripted/restless", 1)]);
        assert_eq!(result.tally().total(), unit.attempts);
    }
}

#[tokio::test]
async fn a_model_needs_a_way_to_it() {
    let spec = "  environment: { name: workshop }\n  sources: [{ model: acme/large }]\n  \
                providers: { acme: { protocol: openai, baseUrl: 'http://localhost/v1' } }\n";
    let run = Whole::new(&store(), file("units", spec));
    let unit = run.plan().await.unwrap().units.remove(0);
    let failed = run.work(&unit).await.unwrap_err();
    assert_eq!(failed.class, FailureClass::Infrastructure);
    assert!(matches!(&failed.source, Error::NoModels { model } if model == "acme/large"), "{failed}");
}

/// A client for the run's model, at an address where nobody listens.
fn client(run: &Whole, limits: BudgetLimits) -> ModelClient {
    let model = run.run.spec.sources[0].live_model().unwrap();
    let provider = &run.run.spec.providers[&model.provider];
    let mut settings = ModelSettings::from_run_file(&model.model, provider);
    settings.retry.max_retries = 0;
    let clock = Arc::new(SystemClock);
    let limiter = Limiter::new(Arc::new(Unshared), Arc::clone(&clock) as _);
    let mut models = ModelsBuilder::new(clock, PriceTable::embedded().unwrap(), false, limiter);
    models.model(&settings).unwrap();
    models.build().client("run/units", LocalAccount::new(Arc::clone(&run.store), limits))
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_fails_the_unit_by_its_reason() {
    // A port that was free a moment ago: whoever listened there is gone.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let spec = format!(
        "  environment: {{ name: workshop }}\n  sources: [{{ model: acme/large, trials: 2 }}]\n  \
         providers: {{ acme: {{ protocol: openai, baseUrl: 'http://127.0.0.1:{port}/v1' }} }}\n"
    );
    let broke = BudgetLimits { tokens: Some(1), ..BudgetLimits::default() };
    for (limits, class) in [(broke, FailureClass::Budget), (BudgetLimits::default(), FailureClass::Provider)]
    {
        let mut run = Whole::new(&store(), file("units", &spec));
        run.models = Some(client(&run, limits));
        let unit = run.plan().await.unwrap().units.remove(0);
        let failed = run.work(&unit).await.unwrap_err();
        assert_eq!(failed.class, class, "{}", failed.source);
        let error = failed.source.to_string();
        assert!(error.contains("acme/large #0: ") && error.contains("acme/large #1: "), "{error}");
    }
}

#[tokio::test]
async fn a_unit_whose_input_is_missing_or_of_another_program_fails() {
    let spec = "  environment: { name: workshop }\n  sources: [{ scripted: hasty }]\n";
    let run = Whole::new(&store(), file("units", spec));
    let mut unit = run.plan().await.unwrap().units.remove(0);
    let bytes = run.store.blob_get(unit.input.unwrap()).await.unwrap();
    let other = String::from_utf8(bytes).unwrap().replace("\"format\":1", "\"format\":9");
    unit.input = Some(run.store.blob_put(other.as_bytes()).await.unwrap());
    let error = run.work(&unit).await.unwrap_err().source;
    assert!(error.to_string().contains("newer palaestra"), "{error}");
    unit.input = Some(Digest::of(b"nowhere"));
    assert!(matches!(run.work(&unit).await.unwrap_err().source, Error::Store { .. }));
    unit.input = None;
    assert!(matches!(run.work(&unit).await.unwrap_err().source, Error::Unreadable { .. }));
}

/// The result of one task with these recorded attempts.
async fn recorded(attempts: Vec<palaestra_domain::Trajectory>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(File::create(folder.path().join("all.jsonl")).unwrap()).unwrap();
    attempts.iter().for_each(|attempt| writer.write(attempt).unwrap());
    writer.finish().unwrap();
    let run = file("units", "  environment: { name: recorded }\n  sources: [{ recorded: all.jsonl }]\n");
    let run = Whole { base: folder.path().to_path_buf(), ..Whole::new(&store(), run) };
    let plan = run.plan().await.unwrap();
    assert_eq!(plan.units.len(), 1);
    run.store.blob_get(run.work(&plan.units[0]).await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_result_stays_small_whatever_its_attempts_say() {
    let source = "\\\"".repeat(100);
    let reason = "\"\u{1}é".repeat(5_000);
    let attempts = (0..MOST_ATTEMPTS).map(|trial| {
        let outcome = match trial % 2 {
            0 => Outcome::NoResult { reason: reason.clone() },
            _ => Outcome::Unresolved { class: UnresolvedClass::Infrastructure, reason: reason.clone() },
        };
        attempt(&source, outcome).trial(trial).0
    });
    let bytes = recorded(attempts.collect()).await;
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    let result = ReferenceResult::decode(&bytes).unwrap();
    let half = MOST_ATTEMPTS / 2;
    assert_eq!(result.tally(), Tally { no_result: half, unresolved: half, ..Tally::default() });
    assert_eq!(result.encode().unwrap(), bytes);
}

#[tokio::test]
async fn recorded_attempts_are_facts_even_where_none_is_resolved() {
    let lost = || Outcome::Unresolved { class: UnresolvedClass::Unknown, reason: String::new() };
    let bytes = recorded(vec![attempt("a", lost()).0, attempt("b", lost()).0]).await;
    let result = ReferenceResult::decode(&bytes).unwrap();
    assert_eq!((result.contrast, result.tally().unresolved), (ContrastKind::NoEvidence, 2));
    let bytes = recorded(vec![passed("a").0, failed("b").0]).await;
    assert_eq!(ReferenceResult::decode(&bytes).unwrap().contrast, ContrastKind::Disagreement);
}
