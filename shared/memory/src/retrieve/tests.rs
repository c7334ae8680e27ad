//! Retrieval over whole banks, by example and by property.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::{Ability, Bank, CardId, SkillCard};
use proptest::prelude::*;

use super::*;
use crate::fixtures::{ability, bank, delta, function, function_card};

fn none<T>() -> BTreeSet<T> {
    BTreeSet::new()
}

fn card(topic: &str, functions: &[&str]) -> SkillCard {
    let mut content = delta(topic);
    content.functions_used = functions.iter().map(|name| function(name)).collect();
    SkillCard { card_id: content.card_id().unwrap(), content }
}

fn topics(hits: &[SkillHit<'_>], bank: &Bank) -> Vec<String> {
    hits.iter().map(|hit| bank.skill_cards[hit.ability][hit.card_id].content.tags[2].clone()).collect()
}

#[test]
fn the_task_finds_the_card_about_its_matter() {
    let bank = bank(&["order", "booking", "meeting"]);
    let index = SkillIndex::build(&bank, RetrievalParams::default());
    let (apps, exclude) = (none(), none());
    let query = SkillQuery { text: "cancel my bookings for Friday", apps: &apps, exclude: &exclude };
    let mut scratch = Scratch::default();
    let hits = index.top(3, Some(&ability()), &query, &mut scratch);
    assert_eq!(topics(&hits, &bank)[0], "booking");
    assert_eq!(index.top(3, None, &query, &mut scratch).len(), 3);
    let elsewhere = Ability::new("time").unwrap();
    assert!(index.top(3, Some(&elsewhere), &query, &mut scratch).is_empty());
    let foreign = SkillQuery { text: "zebra", ..query };
    assert!(index.top(3, None, &foreign, &mut scratch).is_empty());
}

#[test]
fn excluded_cards_leave_their_place_to_the_next() {
    let bank = bank(&["order", "booking"]);
    let index = SkillIndex::build(&bank, RetrievalParams::default());
    let (apps, mut exclude) = (none(), none());
    let mut scratch = Scratch::default();
    let text = "cancel the booking";
    let first =
        index.top(1, None, &SkillQuery { text, apps: &apps, exclude: &exclude }, &mut scratch)[0].card_id;
    exclude.insert(first.clone());
    let hits = index.top(1, None, &SkillQuery { text, apps: &apps, exclude: &exclude }, &mut scratch);
    assert_eq!(topics(&hits, &bank), ["order"]);
}

#[test]
fn the_app_prior_reorders_close_matches_and_gates_nothing() {
    let (shop, mail) = (card("order", &["shop.cancel_order"]), card("order", &["mail.send_email"]));
    let free = card("order", &[]);
    let name = ability();
    let params = RetrievalParams::default();
    let shelf = SkillShelf::new([&shop, &mail, &free].map(|card| (&name, card)), params);
    let (apps, exclude) = (BTreeSet::from(["mail".to_owned()]), none());
    let mut scratch = Scratch::default();
    let hits =
        shelf.top(3, &SkillQuery { text: "cancel the order", apps: &apps, exclude: &exclude }, &mut scratch);
    let found: Vec<&CardId> = hits.iter().map(|hit| hit.card_id).collect();
    assert_eq!(found, [&mail.card_id, &free.card_id, &shop.card_id]);
    let [high, plain, low] = [hits[0].score, hits[1].score, hits[2].score];
    assert!((high - plain - params.app_prior.min(plain * params.prior_cap)).abs() < 1e-12);
    assert!((plain - low - params.mismatch_penalty.min(plain * params.prior_cap)).abs() < 1e-12);
    assert!(low > 0.0);
    let no_apps = none();
    let hits = shelf.top(
        3,
        &SkillQuery { text: "cancel the order", apps: &no_apps, exclude: &exclude },
        &mut scratch,
    );
    assert!(hits.is_sorted_by_key(|hit| hit.card_id), "equal scores are ordered by id");
}

#[test]
fn functions_are_found_by_words_and_by_name() {
    let mut bank = Bank::default();
    crate::apply::add_function_card(&mut bank, function_card()).unwrap();
    let index = FunctionIndex::build(&bank, RetrievalParams::default());
    let mut scratch = Scratch::default();
    let hits = index.top(2, "please cancel it", &none(), &mut scratch);
    assert_eq!(hits[0].function, &function("shop.cancel_order"));
    assert!(lookup(&bank, &function("shop.cancel_order")).is_some());
    assert!(lookup(&bank, &function("shop.cancel")).is_none());
}

const WORDS: [&str; 8] = ["order", "booking", "refund", "email", "page", "address", "meeting", "price"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_the_cards_changes_nothing(
        picks in prop::collection::vec((0_usize..8, 0_usize..8, 0_usize..8), 1..40),
        order in any::<u64>(),
        words in prop::collection::vec(0_usize..8, 1..6),
        k in 1_usize..6,
    ) {
        let name = ability();
        let cards: BTreeMap<CardId, SkillCard> = picks
            .iter()
            .map(|&(a, b, c)| {
                let functions = [["shop.a", "mail.a"], ["mail.a", "files.a"]][c % 2];
                let card = card(&format!("{} {}", WORDS[a], WORDS[b]), &functions[..c % 3]);
                (card.card_id.clone(), card)
            })
            .collect();
        let sorted: Vec<&SkillCard> = cards.values().collect();
        let mut shuffled = sorted.clone();
        let len = shuffled.len();
        for i in 0..len {
            shuffled.swap(i, (order.rotate_left(i as u32) % len as u64) as usize);
        }
        let params = RetrievalParams::default();
        let a = SkillShelf::new(sorted.iter().map(|card| (&name, *card)), params);
        let b = SkillShelf::new(shuffled.iter().map(|card| (&name, *card)), params);
        let text: String = words.iter().map(|&w| WORDS[w]).collect::<Vec<_>>().join(" ");
        let (apps, exclude) = (BTreeSet::from(["mail".to_owned()]), none());
        let query = SkillQuery { text: &text, apps: &apps, exclude: &exclude };
        let mut scratch = Scratch::default();
        let hits = a.top(k, &query, &mut scratch);
        prop_assert_eq!(&hits, &b.top(k, &query, &mut scratch));
        for pair in hits.windows(2) {
            let in_order = pair[0].score > pair[1].score
                || (pair[0].score == pair[1].score && pair[0].card_id < pair[1].card_id);
            prop_assert!(in_order);
        }
        // The best k are the first k of all.
        let all = a.top(cards.len(), &query, &mut scratch);
        prop_assert_eq!(&hits[..], &all[..k.min(all.len())]);
    }
}
