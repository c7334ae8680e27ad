//! What is kept of episodes, and the report that it comes to.

use std::sync::Arc;

use palaestra_domain::{FailureClass, Outcome};
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::run::Ended;
use palaestra_methods::evaluation_run::{Artefact, EvaluationView, report};
use palaestra_store::Store;

use super::support::{CONDITIONS, bank, file, finish, measured, open, planned, record};
use crate::support::building::store;

async fn artefact(store: &Arc<dyn Store>) -> Artefact {
    let name = file(CONDITIONS).metadata.name;
    EvaluationView::read(Arc::clone(store), &name).await.unwrap().artefact().unwrap()
}

#[tokio::test]
async fn a_run_that_is_taken_up_again_comes_to_the_same_report() {
    let bank = bank().await;
    let (whole, broken) = (store(), store());
    let measured = measured(file(CONDITIONS), &[("contrastive", &bank)]).await;
    let plan = planned(&whole, &measured).await.unwrap();
    let count = u32::try_from(plan.units.len()).unwrap();
    let results = record(&whole, &plan, 0..count).await;
    let digest = finish(&whole, &plan).await.unwrap();
    assert_eq!(finish(&whole, &plan).await.unwrap(), digest, "finishing again changes nothing");

    planned(&broken, &measured).await.unwrap();
    record(&broken, &plan, 0..3).await;
    let error = finish(&broken, &plan).await.unwrap_err();
    assert!(matches!(error, Error::NotEnded { .. }), "{error}");
    let halfway = report(&artefact(&broken).await).unwrap().to_markdown();
    assert!(halfway.contains(&format!("not finished: 3 of {count} episodes have ended")), "{halfway}");
    record(&broken, &plan, 0..count).await;
    assert_eq!(finish(&broken, &plan).await.unwrap(), digest);

    let kept = Artefact::decode(&whole.blob_get(digest).await.unwrap()).unwrap();
    assert_eq!(kept, artefact(&broken).await);
    for (place, result) in &results {
        let episode = &kept.episodes[*place as usize];
        assert_eq!((&episode.outcome, &episode.shown), (&result.outcome, &result.shown));
        assert_eq!(
            (episode.trajectory, episode.agent_events),
            (Some(result.trajectory), result.agent_events)
        );
        assert!(episode.condition.as_str() == "contrastive" || result.shown.at_start.is_empty());
    }
    // Scripted agents mind no memory: nothing flips, and that is what the report says.
    let report = report(&kept).unwrap();
    let flips = report.measures.comparisons[0].flips;
    assert_eq!((flips.gained, flips.lost, flips.pairs()), (0, 0, u64::from(count / 2)));
    assert!(
        report.measures.arms.iter().all(|arm| arm.rate.passed > 0 && arm.rate.passed < arm.rate.resolved)
    );
}

#[tokio::test]
async fn another_identity_is_refused_once_an_episode_is_there() {
    let store = store();
    let plain = "  conditions: [{ name: none }]\n";
    let first = planned(&store, &measured(file(plain), &[]).await).await.unwrap();
    let second =
        planned(&store, &measured(file(&format!("{plain}  repeats: 2\n")), &[]).await).await.unwrap();
    open(&store, &first).await.unwrap();
    open(&store, &second).await.unwrap();
    open(&store, &first).await.unwrap();
    record(&store, &first, [0]).await;
    let Err(error) = open(&store, &second).await else { panic!("it was opened") };
    assert!(
        matches!(&error, Error::OtherIdentity { differences, .. } if differences == &["spec.repeats: 1 -> 2"])
    );
}

#[tokio::test]
async fn what_never_came_to_an_end_is_unresolved_and_tasks_of_meaningless_order_are_reported_apart() {
    let store = store();
    let mut measured = measured(file("  conditions: [{ name: none }]\n"), &[]).await;
    measured.survey.tasks.truncate(3);
    measured.survey.tasks[1].order_dependent = true;
    let plan = planned(&store, &measured).await.unwrap();
    record(&store, &plan, [0, 1]).await;
    let mut evaluation = open(&store, &plan).await.unwrap();
    let gave_up = Ended::GaveUp(Some(FailureClass::Provider));
    evaluation.record(2, &plan.units[2], gave_up).await.unwrap();
    evaluation.finish().await.unwrap();
    let artefact = artefact(&store).await;
    assert_eq!(artefact.unresolved(), 1);
    assert!(matches!(artefact.episodes[2].outcome, Outcome::Unresolved { .. }));
    let report = report(&artefact).unwrap();
    let [part] = report.parts.as_slice() else { panic!("{:?}", report.parts) };
    let requested = |report: &palaestra_evaluation::Report| report.measures.arms[0].rate.requested;
    assert_eq!((requested(&report), requested(part)), (3, 2));
    let (markdown, html) = (report.to_markdown(), report.to_html());
    let csv = report.to_csv().unwrap();
    for text in [&markdown, &html, &csv] {
        assert!(text.contains("depends on the order of arguments"), "{text}");
    }
}
