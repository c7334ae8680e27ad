//! An agent's steps from the first to the last.

use serde_json::{Map, json};

use super::cases::Case;
use super::data::Action;
use super::habit::{Carried, Habit, writes};
use super::notes::Notes;
use super::shop::Shop;

/// The words with which the shop's policy hands a customer over.
pub(super) const HANDED_OVER: &str = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.";

/// How every question to the customer ends.
pub(super) const QUESTION: &str = "Shall I go ahead (yes or no)?";

/// One step of an agent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// It calls a function of the shop.
    Call(Action),
    /// It says something to the customer.
    Say(String),
}

/// All steps of an agent at a case.
pub(super) fn steps(case: &Case, habit: Habit, notes: &Notes, shop: &Shop) -> Vec<Step> {
    let carried = habit.apply(&case.reference, notes, shop);
    let mut steps = Vec::new();
    for action in &carried.actions {
        if writes(&action.name) {
            steps.extend(reads(action).filter(|read| !steps.contains(read)).collect::<Vec<_>>());
            let what = format!("I would {} with {}.", in_words(&action.name), json!(action.arguments));
            steps.push(Step::Say(format!("{what} {QUESTION}")));
        }
        steps.push(Step::Call(action.clone()));
    }
    steps.push(Step::Say(last_words(case, &carried)));
    steps
}

/// What is read before a change: its order, or whose profile it is.
fn reads(action: &Action) -> impl Iterator<Item = Step> {
    let read = |key: &str, name: &str| {
        let value = action.arguments.get(key)?.clone();
        let arguments = Map::from_iter([(key.to_owned(), value)]);
        Some(Step::Call(Action { name: name.to_owned(), arguments }))
    };
    [read("order_id", "get_order_details"), read("user_id", "get_user_details")].into_iter().flatten()
}

fn last_words(case: &Case, carried: &Carried) -> String {
    let asked = match case.told.as_slice() {
        told if carried.whole && !told.is_empty() => format!(" To what you asked: {}.", told.join(", ")),
        _ => String::new(),
    };
    if carried.actions.iter().any(|action| action.name.starts_with("transfer")) {
        return format!("{HANDED_OVER}{asked}");
    }
    format!("That is all that was to be done.{asked}")
}

fn in_words(function: &str) -> String {
    function.replace('_', " ")
}
