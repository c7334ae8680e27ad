//! Short ways to write the goals of an intent.

use serde_json::Value;

use crate::workshop::intent::{Binding, Goal, Keep, Purpose, Test, When};
use crate::workshop::oracle::object;

/// A field equals a value.
pub(super) fn is(field: &'static str, value: impl Into<Value>) -> Keep {
    Keep { field, test: Test::Is(value.into()) }
}

/// A field contains a text.
pub(super) fn has(field: &'static str, text: &str) -> Keep {
    Keep { field, test: Test::Has(text.to_owned()) }
}

/// A field does not contain a text.
pub(super) fn lacks(field: &'static str, text: &str) -> Keep {
    Keep { field, test: Test::Lacks(text.to_owned()) }
}

/// A field comes before a value.
pub(super) fn below(field: &'static str, value: impl Into<Value>) -> Keep {
    Keep { field, test: Test::Below(value.into()) }
}

/// A field equals a value or comes after it.
pub(super) fn at_least(field: &'static str, value: impl Into<Value>) -> Keep {
    Keep { field, test: Test::AtLeast(value.into()) }
}

/// Collects what fits of a listing.
pub(super) fn gather(into: Binding, listing: &'static str, arguments: Value, keep: Vec<Keep>) -> Goal {
    Goal::Gather { into, listing, arguments: object(arguments), keep }
}

/// Settles on one item of a list.
pub(super) fn choose(into: Binding, from: Binding, question: impl Into<String>) -> Goal {
    Goal::Choose { into, from, wide: None, question: question.into() }
}

/// Finds an address to write to.
pub(super) fn address(into: Binding, name: &str, detail: Option<Keep>) -> Goal {
    person(into, name, detail, Purpose::Address)
}

/// Finds the details of a person.
pub(super) fn details(into: Binding, name: &str, detail: Option<Keep>) -> Goal {
    person(into, name, detail, Purpose::Details)
}

fn person(into: Binding, name: &str, detail: Option<Keep>, purpose: Purpose) -> Goal {
    let question = format!("There is more than one {name} among the contacts. Which one do you mean?");
    Goal::Person { into, name: name.to_owned(), detail, purpose, question }
}

/// Looks at one thing.
pub(super) fn look(into: Binding, function: &'static str, arguments: Value) -> Goal {
    Goal::Look { into, function, arguments: object(arguments) }
}

/// The same for every item of a list.
pub(super) fn each(into: Binding, from: Binding, goals: Vec<Goal>) -> Goal {
    Goal::Each { into, from, goals }
}

/// A plain step under a condition.
pub(super) fn check(reads: Vec<Goal>, when: When, then: Vec<Goal>, otherwise: Vec<Goal>) -> Goal {
    Goal::Check { reads, when, then, otherwise }
}

/// Changes the world.
pub(super) fn write(function: &'static str, arguments: Value) -> Goal {
    Goal::Write { function, arguments: object(arguments) }
}

/// The final response.
pub(super) fn reply(text: impl Into<String>) -> Goal {
    Goal::Reply { text: text.into() }
}

/// The question of a plan whose instruction leaves nothing open; it is asked only when the agent
/// finds something else than the instruction says.
pub(super) fn which(what: &str) -> String {
    format!("I cannot tell which {what} you mean. Can you say more about it?")
}
