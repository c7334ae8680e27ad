//! The agents' results are mixed, and for the documented reasons.

use std::collections::BTreeMap;

use palaestra_domain::task::Split;
use palaestra_domain::tool::Effect;
use palaestra_domain::trajectory::{EventBody, EventSource};
use palaestra_domain::{Task, Trajectory};
use palaestra_environments::workshop::tasks;

use super::support::{SEED, all, attempt, careful};
use crate::catalogue::SCRIPTED;

type Row = (Task, BTreeMap<&'static str, Trajectory>);

#[tokio::test]
async fn an_agent_without_blind_spots_passes_everything() {
    for seed in [SEED, 3, 4, 5] {
        for split in [Split::Reference, Split::HeldOut] {
            for task in tasks(split, 1, seed).unwrap() {
                let run = attempt(&careful(), &task, seed).await;
                assert!(
                    run.outcome.passed(),
                    "{} seed {seed}: {:?} {:#?}",
                    task.id,
                    run.feedback,
                    run.events
                );
            }
        }
    }
}

#[tokio::test]
async fn results_are_mixed_on_both_sides_of_the_split() {
    for (split, seed) in
        [(Split::Reference, SEED), (Split::HeldOut, SEED), (Split::Reference, 1), (Split::Reference, 2)]
    {
        let rows = all(split, seed).await;
        println!("{split:?}, seed {seed}: {} tasks", rows.len());
        for entry in SCRIPTED {
            let passed = rows.iter().filter(|(_, row)| row[entry.name].outcome.passed()).count();
            println!("  {} passes {passed} and fails {}", entry.name, rows.len() - passed);
            assert!(passed >= 10 && rows.len() - passed >= 5, "{}: {passed} of {}", entry.name, rows.len());
        }
        let passes = |row: &Row| row.1.values().filter(|run| run.outcome.passed()).count();
        let count = |wanted: &dyn Fn(usize) -> bool| rows.iter().filter(|row| wanted(passes(row))).count();
        let (none, every) = (count(&|n| n == 0), count(&|n| n == SCRIPTED.len()));
        let mixed = rows.len() - none - every;
        for (task, row) in &rows {
            let marks = row.values().map(|run| if run.outcome.passed() { "pass" } else { "fail" });
            println!("  {} {}", marks.collect::<Vec<_>>().join(" "), task.id);
        }
        println!("  all passed {every}, disagreement {mixed}, all failed {none}");
        assert!(every >= 5 && mixed >= 14 && none >= 3);
        for ability in ["execution", "search", "ambiguity"] {
            let of_ability = rows.iter().filter(|row| row.0.ability.as_ref().unwrap().as_str() == ability);
            let kinds: Vec<usize> = of_ability.map(passes).collect();
            assert!(
                kinds.contains(&0) && kinds.contains(&3) && kinds.iter().any(|n| (1..3).contains(n)),
                "{ability}"
            );
        }
    }
}

#[tokio::test]
async fn every_blind_spot_shows_in_the_trajectories() {
    let rows = all(Split::Reference, SEED).await;
    let runs = |name: &'static str| rows.iter().map(move |(_, row)| &row[name]);
    // Hasty never turns a page, and fails where more was announced.
    assert!(
        runs("scripted/hasty")
            .all(|run| !calls(run).iter().any(|(_, arguments, ..)| arguments.contains("\"page\"")))
    );
    let failed: Vec<_> = runs("scripted/hasty").filter(|run| run.outcome.failed()).collect();
    assert!(failed.iter().all(|run| observed(run, "\"has_more\":true")));
    // Presumptuous never says a word before its final response, and recovers from refused names.
    assert!(runs("scripted/presumptuous").all(|run| questions(run) == 0));
    let recovered = runs("scripted/presumptuous").filter(|run| errors(run) > 0 && run.outcome.passed());
    assert!(recovered.count() >= 3);
    // Restless reads twice, and in what it fails a write comes before a read of its object.
    assert!(runs("scripted/restless").any(|run| run.outcome.passed() && repeats(run) > 0));
    assert!(runs("scripted/hasty").all(|run| repeats(run) == 0));
    // The others ask where it is needed.
    assert!(runs("scripted/restless").filter(|run| questions(run) > 0 && run.outcome.passed()).count() >= 5);
}

#[tokio::test]
async fn restless_recovers_from_a_sold_out_product() {
    let rows = all(Split::Reference, SEED).await;
    let (_, row) = rows.iter().find(|(task, _)| task.id.as_str().contains("buy_cheapest")).unwrap();
    let run = &row["scripted/restless"];
    assert!(run.outcome.passed() && errors(run) == 1, "{:?}", run.feedback);
}

#[tokio::test]
async fn restless_answers_after_it_has_archived() {
    let rows = all(Split::Reference, SEED).await;
    let (_, row) = rows.iter().find(|(task, _)| task.id.as_str().contains("reply_then_archive")).unwrap();
    let writes: Vec<_> =
        calls(&row["scripted/restless"]).into_iter().filter(|call| call.2 == Effect::Write).collect();
    let names: Vec<_> = writes.iter().map(|call| call.0.as_str()).collect();
    assert_eq!(names, ["mail.move_email", "mail.reply_to_email"]);
    assert!(row["scripted/restless"].feedback.iter().any(|remark| remark.starts_with("out of order")));
}

fn calls(run: &Trajectory) -> Vec<(String, String, Effect)> {
    let call = |body: &EventBody| match body {
        EventBody::Call { function, arguments, effect, .. } => {
            Some((function.to_string(), serde_json::to_string(arguments.object().unwrap()).unwrap(), *effect))
        }
        _ => None,
    };
    run.events.iter().filter_map(|event| call(&event.body)).collect()
}

/// Calls that stood earlier in the run with the same arguments and no write in between.
fn repeats(run: &Trajectory) -> usize {
    let (mut seen, mut repeated) = (Vec::new(), 0);
    for call in calls(run) {
        if call.2 == Effect::Write {
            seen.clear();
        } else if seen.contains(&call) {
            repeated += 1;
        } else {
            seen.push(call);
        }
    }
    repeated
}

fn observed(run: &Trajectory, text: &str) -> bool {
    run.events
        .iter()
        .any(|event| matches!(&event.body, EventBody::Observation { content, .. } if content.contains(text)))
}

fn errors(run: &Trajectory) -> usize {
    run.events.iter().filter(|event| matches!(event.body, EventBody::Observation { error: true, .. })).count()
}

fn questions(run: &Trajectory) -> usize {
    let asks = |event: &&palaestra_domain::trajectory::Event| {
        event.source == EventSource::Agent && matches!(event.body, EventBody::Message { .. })
    };
    run.events.iter().filter(asks).count()
}
