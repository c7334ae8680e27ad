//! Time to retrieve the top 3 of 256 Skill Cards (the size of the paper's GAIA2 bank).
#![expect(clippy::expect_used, reason = "a bench may stop on a broken fixture")]

use std::collections::BTreeSet;
use std::hint::black_box;

use criterion::Criterion;
use palaestra_domain::{Ability, FunctionName, SkillBody, SkillCard, SkillDelta, SkillEvidence};
use palaestra_memory::retrieve::{SkillQuery, SkillShelf};
use palaestra_memory::{RetrievalParams, Scratch};

const VERBS: [&str; 8] = ["list", "cancel", "reply", "schedule", "compare", "archive", "refund", "forward"];
const THINGS: [&str; 16] = [
    "email", "order", "meeting", "contact", "invoice", "file", "thread", "product", "address", "folder",
    "payment", "reminder", "channel", "ticket", "booking", "parcel",
];
const STATES: [&str; 8] = [
    "several candidates match the request",
    "a listing reports further pages",
    "the first call returned an error",
    "the user gave an ambiguous name",
    "nothing matches the filter",
    "a deadline is near",
    "the target set has to be complete",
    "two writes depend on one another",
];
const QUERY: &str = "Please look through all invoices that Maria sent last month, forward the unpaid ones to \
    accounting, and cancel the meeting on Friday if nothing is left to discuss. Reply to her when it is done.";

fn cards(count: usize) -> Vec<SkillCard> {
    let pick = |list: &'static [&'static str], n: usize| *list.get(n % list.len()).expect("not empty");
    (0..count)
        .map(|n| {
            let (verb, thing, state) = (pick(&VERBS, n), pick(&THINGS, n / 8), pick(&STATES, n / 3));
            let content = SkillDelta {
                title: format!("{verb} the right {thing} when {state}"),
                applies_when: format!("The task asks to {verb} one or more {thing} items and {state}."),
                solves: format!("A wrong {thing} is touched."),
                tags: vec![verb.to_owned(), thing.to_owned(), "verification".to_owned()],
                skill: SkillBody {
                    core_rule: format!(
                        "Before you {verb} any {thing}, read the full listing, keep the {thing} set that the request \
                         names, and go on only while {state}; case {n}."
                    ),
                    ..SkillBody::default()
                },
                evidence: SkillEvidence::default(),
                functions_used: vec![FunctionName::new(thing, verb).expect("a valid name")],
            };
            SkillCard { card_id: content.card_id().expect("a valid id"), content }
        })
        .collect()
}

fn main() {
    let ability = Ability::new("execution").expect("a valid name");
    let cards = cards(256);
    let shelf = SkillShelf::new(cards.iter().map(|card| (&ability, card)), RetrievalParams::default());
    let apps = BTreeSet::from(["email".to_owned(), "meeting".to_owned()]);
    let exclude = BTreeSet::new();
    let query = SkillQuery { text: QUERY, apps: &apps, exclude: &exclude };
    let mut scratch = Scratch::default();
    assert_eq!(shelf.top(3, &query, &mut scratch).len(), 3);

    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function("top 3 of 256 skill cards", |bencher| {
        bencher.iter(|| black_box(shelf.top(3, black_box(&query), &mut scratch)));
    });
    criterion.bench_function("index 256 skill cards", |bencher| {
        bencher.iter(|| {
            SkillShelf::new(black_box(&cards).iter().map(|card| (&ability, card)), RetrievalParams::default())
        });
    });
    criterion.final_summary();
}
