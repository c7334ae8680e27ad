//! A bank as a guide: what it says at the start and before calls, and when it is silent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palaestra_agents::Guide as _;
use palaestra_domain::run_file::evaluation::GuidanceSpec;
use palaestra_domain::tool::Effect;
use palaestra_domain::{Ability, Task};
use palaestra_environments::Worlds;
use palaestra_methods::evaluation_run::{BankOrigin, GuideBook, survey};

use super::support::{CONDITIONS, bank, file};

async fn tasks() -> Vec<(Task, Ability)> {
    let survey = survey(&file(CONDITIONS), &Worlds::default()).await.unwrap();
    survey.tasks.into_iter().map(|surveyed| (surveyed.task, surveyed.ability)).collect()
}

async fn book(settings: GuidanceSpec) -> Arc<GuideBook> {
    Arc::new(GuideBook::new(bank().await.bank.bank().clone(), BTreeMap::new(), settings))
}

#[tokio::test]
async fn cards_come_at_the_start_within_the_settings_and_are_written_down() {
    let (full, book) = (bank().await, book(GuidanceSpec::default()).await);
    let mut said = 0;
    for (task, ability) in tasks().await {
        let guide = book.for_task(&task, &ability);
        let Some(words) = guide.at_start("") else { continue };
        said += 1;
        let shown = guide.shown();
        assert!((1..=6).contains(&shown.at_start.len()), "{shown:?}");
        assert_eq!(shown.tokens, words.chars().count().div_ceil(4) as u64);
        let skills = full.bank.bank().skills().filter(|(_, card)| shown.at_start.contains(&card.card_id));
        let titles: Vec<String> = skills.map(|(_, card)| format!("[skill] {}", card.content.title)).collect();
        assert!(titles.iter().all(|title| words.contains(title)), "{titles:?}: {words}");
        assert_eq!(words.matches("[skill] ").count(), titles.len(), "{titles:?}: {words}");
        assert_eq!(
            book.for_task(&task, &ability).at_start(""),
            Some(words),
            "the same words for the same task"
        );
    }
    assert!(said > 0, "no task is guided at all");
    let nothing = GuidanceSpec { top_skills: 0, top_functions: 0, ..GuidanceSpec::default() };
    let silent = self::book(nothing).await;
    assert!(
        tasks().await.iter().all(|(task, ability)| silent.for_task(task, ability).at_start("").is_none())
    );
}

#[tokio::test]
async fn cards_whose_evidence_comes_from_the_evaluated_scenario_are_left_out() {
    let measured = bank().await;
    let BankOrigin::Run(provenance) = &measured.origin else { panic!("{:?}", measured.origin) };
    assert!(provenance.generators.as_ref().is_some_and(|generators| !generators.is_empty()));
    let plain = book(GuidanceSpec::default()).await;
    let (task, ability, first) = tasks()
        .await
        .into_iter()
        .find_map(|(task, ability)| {
            let guide = plain.for_task(&task, &ability);
            guide.at_start("")?;
            let skill =
                guide.shown().at_start.into_iter().find(|card| card.as_str().starts_with("skill::"))?;
            Some((task, ability, skill))
        })
        .unwrap();
    let generators = BTreeMap::from([(first.clone(), BTreeSet::from([task.scenario.clone()]))]);
    let bank = measured.bank.bank().clone();
    let book = Arc::new(GuideBook::new(bank, generators, GuidanceSpec::default()));
    let guide = book.for_task(&task, &ability);
    let _words = guide.at_start("");
    assert!(!guide.shown().at_start.contains(&first));
    let elsewhere = Task { scenario: "another".to_owned(), ..task };
    let guide = book.for_task(&elsewhere, &ability);
    guide.at_start("").unwrap();
    assert!(guide.shown().at_start.contains(&first));
}

#[tokio::test]
async fn a_function_is_held_back_once_unless_the_setting_or_the_ability_says_otherwise() {
    let measured = bank().await;
    let function = measured.bank.bank().function_cards.keys().next().unwrap().clone();
    let (task, ability) = tasks().await.remove(0);
    let guide = book(GuidanceSpec::default()).await.for_task(&task, &ability);
    let words = guide.before_call(&function, Effect::Write).unwrap();
    assert!(words.contains("\"executed\":false") && words.contains("write_checklist"), "{words}");
    assert_eq!(guide.before_call(&function, Effect::Write), None, "it is made when it comes again");
    let unknown = palaestra_domain::FunctionName::parse("nowhere.nothing").unwrap();
    assert_eq!(guide.before_call(&unknown, Effect::Write), None);
    assert_eq!(guide.shown().before_calls.len(), 1);
    let off = GuidanceSpec { before_call: false, ..GuidanceSpec::default() };
    assert_eq!(book(off).await.for_task(&task, &ability).before_call(&function, Effect::Write), None);
    let time = Ability::new("time").unwrap();
    let guide = book(GuidanceSpec::default()).await.for_task(&task, &time);
    assert_eq!(guide.before_call(&function, Effect::Write), None, "the paper turns it off for Time");
}
