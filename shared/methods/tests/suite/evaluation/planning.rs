//! The plan of an evaluation, and what may not be measured.

use std::collections::BTreeSet;

use palaestra_domain::run_file::evaluation::SplitName;
use palaestra_domain::unit::UnitKind;
use palaestra_domain::{Digest, Unit};
use palaestra_methods::Submitted;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::evaluation_run::{BankOrigin, EpisodeInput, MeasuredBank, Provenance, identity};
use palaestra_store::Store;

use super::support::{CONDITIONS, bank, file, measured, planned};
use crate::support::building::store;

async fn input(store: &dyn Store, unit: &Unit) -> EpisodeInput {
    serde_json::from_slice(&store.blob_get(unit.input.unwrap()).await.unwrap()).unwrap()
}

#[tokio::test]
async fn conditions_alternate_and_share_task_repeat_and_seed() {
    let (store, bank) = (store(), bank().await);
    let measured = measured(file(&format!("{CONDITIONS}  repeats: 2\n")), &[("contrastive", &bank)]).await;
    let plan = planned(&store, &measured).await.unwrap();
    assert_eq!(plan.units.len(), measured.survey.tasks.len() * 2 * 2);
    let mut seen = BTreeSet::new();
    for pair in plan.units.chunks(2) {
        let [none, contrastive] = pair else { panic!("{pair:?}") };
        assert_eq!((none.kind, &none.bank, none.attempts), (UnitKind::EvaluationEpisode, &None, 1));
        let (none, contrastive) = (input(&*store, none).await, input(&*store, contrastive).await);
        assert_eq!((none.condition.as_str(), contrastive.condition.as_str()), ("none", "contrastive"));
        let paired = EpisodeInput { condition: none.condition.clone(), ..contrastive };
        assert_eq!(paired, none, "but for the condition they are the same");
        assert!(seen.insert((none.task.id.clone(), none.repeat)));
    }
    assert_eq!(planned(&store, &measured).await.unwrap(), plan, "planning again is the same plan");
    let bytes = plan.submission.encode().unwrap();
    let read = Submitted::decode(&bytes).unwrap();
    assert_eq!(read, Submitted::Evaluation(Box::new(plan.submission)));
    assert_eq!((read.encode().unwrap(), read.name().as_str()), (bytes, "measured"));
}

/// The bank as if its construction had been another one.
fn as_if(bank: &MeasuredBank, change: impl FnOnce(&mut Provenance)) -> MeasuredBank {
    let BankOrigin::Run(provenance) = &bank.origin else { panic!("{:?}", bank.origin) };
    let mut provenance = provenance.clone();
    change(&mut provenance);
    MeasuredBank { origin: BankOrigin::Run(provenance), ..bank.clone() }
}

#[tokio::test]
async fn banks_of_another_split_or_of_what_is_measured_are_refused_with_the_difference() {
    let (store, bank) = (store(), bank().await);
    let run = file(CONDITIONS);
    let held_out = measured(run.clone(), &[]).await.survey.tasks.remove(0).task;
    let refused = async |bank: MeasuredBank| {
        let measured = measured(run.clone(), &[("contrastive", &bank)]).await;
        let error = planned(&store, &measured).await.unwrap_err();
        assert!(
            matches!(&error, Error::BankRefused { condition, .. } if condition == "contrastive"),
            "{error}"
        );
        error.to_string()
    };
    let words = refused(as_if(&bank, |of| of.seed = 7)).await;
    assert!(words.contains("split seed `7`, and the evaluation has `20260610`"), "{words}");
    let words = refused(as_if(&bank, |of| of.data_version = "old".to_owned())).await;
    assert!(words.contains("data version `old`"), "{words}");
    let words = refused(as_if(&bank, |of| {
        of.tasks.insert(held_out.id.clone());
    }))
    .await;
    assert!(words.contains("1 of the held-out tasks") && words.contains(held_out.id.as_str()), "{words}");

    let mut stated = run.clone();
    stated.spec.conditions[1].bank.as_mut().unwrap().hash = Some(Digest::of(b"another"));
    let error = planned(&store, &measured(stated, &[("contrastive", &bank)]).await).await.unwrap_err();
    assert!(error.to_string().contains("the run file says"), "{error}");

    // What a memory recalls may be looked at, and is marked.
    let mut recalled = run.clone();
    recalled.spec.split = SplitName::Reference;
    let plan = planned(&store, &measured(recalled, &[("contrastive", &bank)]).await).await.unwrap();
    assert!(plan.submission.facts().iter().any(|(_, words)| words.contains("recalls")));
}

#[tokio::test]
async fn the_identity_is_of_what_numbers_depend_on() {
    let bank = bank().await;
    let of = async |run, bank: &MeasuredBank| {
        identity(&measured(run, &[("contrastive", bank)]).await, None).unwrap()
    };
    let first = of(file(CONDITIONS), &bank).await;
    assert_eq!(first, of(file(&format!("{CONDITIONS}  budget: {{ tokens: 9 }}\n")), &bank).await);
    let moved = MeasuredBank { origin: BankOrigin::File("bank.json".into()), ..bank.clone() };
    assert_eq!(first, of(file(CONDITIONS), &moved).await, "where a bank was found is left out");
    let more = of(file(&format!("{CONDITIONS}  repeats: 3\n")), &bank).await;
    assert_eq!(more.differences(&first.basis), ["spec.repeats: 1 -> 3"]);
    let empty = palaestra_memory::freeze::FrozenBank::new(palaestra_domain::Bank::default()).unwrap();
    let other = of(file(CONDITIONS), &MeasuredBank { bank: empty, ..bank.clone() }).await;
    let differences = other.differences(&first.basis);
    assert!(differences.len() == 1 && differences[0].starts_with("banks.contrastive: "), "{differences:?}");
}
