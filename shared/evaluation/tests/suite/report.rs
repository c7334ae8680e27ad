//! The report in its three forms.

use std::collections::BTreeMap;

use palaestra_domain::Outcome;
use palaestra_evaluation::{
    Bootstrap, Confusion, Episode, Episodes, Error, Report, ReportOptions, RoleSpend,
};
use proptest::prelude::*;

use super::fixtures::{attempts, episode, passed, spend, unresolved};

/// Two targets, three conditions, two abilities of four tasks (two per scenario), two repeats.
fn episodes() -> Vec<Episode> {
    let mut found = Vec::new();
    for (t, target) in ["deepseek-v4", "gpt-5.5"].into_iter().enumerate() {
        for (c, condition) in ["none", "self", "contrastive"].into_iter().enumerate() {
            for (a, ability) in ["execution", "search"].into_iter().enumerate() {
                for n in 0..4_u32 {
                    for repeat in 0..2_u32 {
                        let luck = (n as usize * 7 + a * 3 + t * 5 + repeat as usize * 2) % 6;
                        let one = episode(condition, target, ability, n, passed(luck < 1 + 2 * c));
                        found.push(Episode {
                            repeat,
                            seed: u64::from(repeat),
                            scenario: format!("{ability}-{}", n / 2),
                            agent_events: 20 - 3 * c as u64 + u64::from(n),
                            memory_tokens: 900 * c as u64,
                            roles: BTreeMap::from([
                                ("agent".to_owned(), spend(5, 4_000 + 100 * u64::from(n), 12_345_678)),
                                ("user".to_owned(), RoleSpend { cost: None, ..spend(2, 500, 0) }),
                            ]),
                            ..one
                        });
                    }
                }
            }
        }
    }
    found[1].outcome = unresolved();
    found[40].outcome = Outcome::NoResult { reason: "step limit".to_owned() };
    found
}

fn options() -> ReportOptions {
    ReportOptions {
        title: "Held-out evaluation".to_owned(),
        conditions: vec!["none".to_owned(), "self".to_owned()],
        pass_k: None,
        bootstrap: Bootstrap::new(2_000, 11).unwrap(),
        facts: vec![
            ("bank".to_owned(), "9f2c41d0a7be".to_owned()),
            ("split".to_owned(), "held out, seed 20260610".to_owned()),
        ],
        judges: BTreeMap::from([(
            "judge".to_owned(),
            Confusion { true_positive: 19, false_positive: 2, false_negative: 3, true_negative: 16 },
        )]),
    }
}

fn report(episodes: Vec<Episode>) -> Report {
    Report::new(&Episodes::new(episodes).unwrap(), options()).unwrap()
}

#[test]
fn markdown() {
    insta::assert_snapshot!(report(episodes()).to_markdown());
}

#[test]
fn html() {
    insta::assert_snapshot!(report(episodes()).to_html());
}

#[test]
fn csv() {
    insta::assert_snapshot!(report(episodes()).to_csv().unwrap());
}

#[test]
fn an_episode_has_a_stable_form() {
    let one = episode("none", "gpt-5.5", "search", 3, passed(true));
    insta::assert_json_snapshot!(one);
    let text = serde_json::to_string(&one).unwrap();
    assert_eq!(serde_json::from_str::<Episode>(&text).unwrap(), one);
}

#[test]
fn one_target_one_repeat_has_no_empty_tables() {
    let mut found = attempts("none", "m", "search", 2, 5);
    found.extend(attempts("self", "m", "search", 4, 5));
    let titles: Vec<String> = report(found).tables().into_iter().map(|table| table.title).collect();
    let wanted = [
        "Success",
        "Paired comparisons",
        "A/A null control",
        "Efficiency",
        "Agent events, paired",
        "Spend by role",
        "Coverage",
        "Judge and verifier",
    ];
    assert_eq!(titles, wanted);
}

#[test]
fn names_from_elsewhere_are_escaped_in_every_form() {
    let hostile = "<img src=x onerror=\"go()\">|`&'*";
    let mut found = attempts("none", "m", "search", 2, 5);
    found.extend(attempts(hostile, "m", "search", 4, 5));
    let options =
        ReportOptions { title: hostile.to_owned(), conditions: vec!["none".to_owned()], ..options() };
    let report = Report::new(&Episodes::new(found).unwrap(), options).unwrap();
    let html = report.to_html();
    assert!(!html.contains("<img") && !html.contains("<script"), "{html}");
    assert!(html.contains("&lt;img src=x onerror=&quot;go()&quot;&gt;|`&amp;&#39;*"));
    let markdown = report.to_markdown();
    assert!(markdown.contains(r"&lt;img src=x onerror=") && !markdown.contains("<img"));
    let header =
        markdown.lines().find(|line| line.starts_with("| comparison ")).unwrap().matches(" | ").count();
    let row = markdown.lines().find(|line| line.starts_with("| none → ")).unwrap().matches(" | ").count();
    assert_eq!(header, row, "a bar in a name opens no column");
    let text = report.to_csv().unwrap();
    let mut reader = csv_names(&text);
    assert!(reader.any(|name| name == hostile));
}

/// The conditions named in a CSV text.
fn csv_names(text: &str) -> impl Iterator<Item = String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "condition").unwrap();
    let names: Vec<String> = reader.records().map(|record| record.unwrap()[column].to_owned()).collect();
    names.into_iter()
}

#[test]
fn a_condition_that_nobody_ran_is_refused_by_name() {
    let episodes = Episodes::new(attempts("none", "m", "search", 1, 2)).unwrap();
    let wrong = ReportOptions { conditions: vec!["nothing".to_owned()], ..options() };
    let error = Report::new(&episodes, wrong).unwrap_err();
    assert!(matches!(error, Error::UnknownCondition { .. }) && error.to_string().contains("known: none"));
    let zero = ReportOptions { pass_k: Some(0), conditions: Vec::new(), ..options() };
    assert!(matches!(Report::new(&episodes, zero), Err(Error::OutOfRange { .. })));
}

#[test]
fn a_mean_over_fewer_targets_is_not_compared() {
    // The second target has no episodes under `self`, as the unseen target of table 1.
    let mut found = attempts("none", "a", "search", 1, 4);
    found.extend(attempts("none", "b", "search", 3, 4));
    found.extend(attempts("self", "a", "search", 2, 4));
    let report = report(found);
    let success = report.tables().remove(0);
    let means: Vec<&[String]> =
        success.rows.iter().map(|row| &row[..]).filter(|row| row[0].contains("mean")).collect();
    assert_eq!(
        means.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(),
        ["mean of 2 targets", "mean of 1 target"]
    );
    assert_eq!(means[1].last().map(String::as_str), Some("n/a"));
}

#[test]
fn a_report_is_json_for_scripts_and_empty_without_episodes() {
    let json = serde_json::to_value(report(episodes())).unwrap();
    assert_eq!(json["measures"]["conditions"], serde_json::json!(["none", "self", "contrastive"]));
    assert_eq!(json["measures"]["arms"][0]["abilities"]["execution"]["requested"], 8);
    assert_eq!(json["measures"]["arms"][0]["unresolved"]["infrastructure"], 1);
    let nothing = ReportOptions { conditions: Vec::new(), judges: BTreeMap::new(), ..options() };
    let empty = Report::new(&Episodes::new(Vec::new()).unwrap(), nothing).unwrap();
    assert_eq!((empty.tables(), empty.to_csv().unwrap()), (Vec::new(), String::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn the_order_of_arrival_does_not_change_a_byte(shuffled in Just(episodes()).prop_shuffle()) {
        let (one, other) = (report(episodes()), report(shuffled));
        prop_assert_eq!(one.to_markdown(), other.to_markdown());
        prop_assert_eq!(one.to_html(), other.to_html());
        prop_assert_eq!(one.to_csv().unwrap(), other.to_csv().unwrap());
    }
}
