//! The verifier: compares the ordered writes, the final state and the final response with what
//! the task wants (§3.1). Its remarks name functions and arguments, never a value of the world.

use serde_json::Value;

use super::oracle::{Answer, Oracle, Wanted};
use super::tool::Args;
use super::world::{World, tool};
use crate::contract::Verdict;

/// Writes that prepare another one: only what is left of them in the final state counts, so that
/// putting something back is no mistake.
const DRAFTS: [&str; 2] = ["shop.add_to_cart", "shop.remove_from_cart"];

/// What an attempt did that the verifier cares for, in order.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    /// The user was asked for what the instruction left open.
    Asked,
    /// A write succeeded.
    Wrote { function: String, args: Args },
}

/// Judges a finished attempt.
pub(crate) fn judge(oracle: &Oracle, start: &World, end: &World, deeds: &[Deed], response: &str) -> Verdict {
    let mut remarks = Vec::new();
    if oracle.ask && !asked_first(deeds) {
        remarks
            .push("the user was not asked about what the request leaves open before acting on it".to_owned());
    }
    let matching = Matching::of(oracle, deeds);
    let written = matching.remarks();
    let as_wanted = written.is_empty();
    remarks.extend(written);
    if as_wanted {
        remarks.extend(state_remarks(start, end, &matching));
    }
    remarks.extend(answer_remarks(&oracle.answer, response));
    let passed = remarks.is_empty();
    Verdict { passed, reward: if passed { 1.0 } else { 0.0 }, feedback: remarks }
}

fn asked_first(deeds: &[Deed]) -> bool {
    let asked = deeds.iter().position(|deed| matches!(deed, Deed::Asked));
    let wrote = deeds.iter().position(|deed| matches!(deed, Deed::Wrote { .. }));
    asked.is_some_and(|asked| wrote.is_none_or(|wrote| asked < wrote))
}

/// Which write stands for which wanted one.
struct Matching<'a> {
    /// Every wanted write with the one that fulfils it.
    wanted: Vec<(&'a Wanted, Option<&'a Args>)>,
    /// Stage and function of the fulfilled writes, in the order in which they were made.
    order: Vec<(u32, &'a str)>,
    /// Writes that nothing asked for.
    extra: Vec<(&'a str, &'a Args)>,
}

impl<'a> Matching<'a> {
    fn of(oracle: &'a Oracle, deeds: &'a [Deed]) -> Self {
        let mut matching = Self {
            wanted: oracle.writes.iter().map(|w| (w, None)).collect(),
            order: Vec::new(),
            extra: Vec::new(),
        };
        for deed in deeds {
            let Deed::Wrote { function, args } = deed else { continue };
            if DRAFTS.contains(&function.as_str()) {
                continue;
            }
            let free = matching
                .wanted
                .iter_mut()
                .find(|(wanted, by)| by.is_none() && fulfils(wanted, function, args));
            match free {
                Some((wanted, by)) => {
                    *by = Some(args);
                    matching.order.push((wanted.stage, function));
                }
                None => matching.extra.push((function, args)),
            }
        }
        matching
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let mut extra = self.extra.clone();
        for (wanted, by) in &self.wanted {
            if by.is_some() || DRAFTS.contains(&wanted.function) {
                continue;
            }
            // A wanted and an extra call of one function are one mistake: a wrong value.
            match extra.iter().position(|(function, _)| *function == wanted.function) {
                Some(index) => {
                    let (function, args) = extra.remove(index);
                    let keys: Vec<String> =
                        differing(wanted, args).iter().map(|key| format!("`{key}`")).collect();
                    remarks.push(format!("a call of {function} has a wrong value of {}", keys.join(", ")));
                }
                None => remarks.push(format!("a call of {} is missing", wanted.function)),
            }
        }
        remarks.extend(extra.iter().map(|(function, _)| format!("a call of {function} was not wanted")));
        for pair in self.order.windows(2) {
            if let [(before, early), (after, late)] = pair
                && after < before
            {
                remarks.push(format!("out of order: {late} had to come before {early}"));
            }
        }
        remarks
    }
}

/// The keys on which a write differs from a wanted one.
fn differing<'a>(wanted: &Wanted, args: &'a Args) -> Vec<&'a str> {
    let Some(expected) = tool(wanted.function).and_then(|tool| tool.check(&wanted.arguments).ok()) else {
        return args.0.keys().map(String::as_str).collect();
    };
    args.0
        .iter()
        .filter(|(key, value)| match wanted.loose.get(key.as_str()) {
            Some(fragments) => {
                let text = value.as_str().unwrap_or_default().to_lowercase();
                !fragments.iter().all(|fragment| text.contains(&fragment.to_lowercase()))
            }
            None => expected.0.get(*key) != Some(value),
        })
        .map(|(key, _)| key.as_str())
        .collect()
}

fn fulfils(wanted: &Wanted, function: &str, args: &Args) -> bool {
    wanted.function == function && differing(wanted, args).is_empty()
}

/// Replays the wanted writes on the start, in the agent's own words where wording is free, and
/// compares the outcome app by app.
fn state_remarks(start: &World, end: &World, matching: &Matching<'_>) -> Vec<String> {
    let mut target = start.clone();
    for (wanted, by) in &matching.wanted {
        let arguments = by.map_or(&wanted.arguments, |args| &args.0);
        if let Err(message) = target.call(wanted.function, arguments) {
            return vec![format!("the wanted call of {} cannot be performed: {message}", wanted.function)];
        }
    }
    let (Ok(Value::Object(target)), Ok(Value::Object(end))) =
        (serde_json::to_value(&target), serde_json::to_value(end))
    else {
        return vec!["the final state cannot be compared".to_owned()];
    };
    let differs = target.iter().filter(|(app, state)| end.get(*app) != Some(state));
    differs.map(|(app, _)| format!("the final state of {app} is not the wanted one")).collect()
}

fn answer_remarks(answer: &Answer, response: &str) -> Vec<String> {
    let mut remarks = Vec::new();
    if answer.must.iter().any(|value| !names(response, value)) {
        remarks.push("the final response does not give the wanted answer".to_owned());
    }
    if answer.must_not.iter().any(|value| names(response, value)) {
        remarks.push("the final response also gives an answer that is wrong".to_owned());
    }
    remarks
}

/// Whether a response names a value as a word of its own, whatever the case; thousands may be
/// set apart by commas.
fn names(response: &str, value: &str) -> bool {
    let (response, value) = (plain(response), plain(value));
    response.match_indices(&value).any(|(at, found)| {
        let before = response.get(..at).and_then(|text| text.chars().next_back());
        let after = response.get(at + found.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn plain(text: &str) -> String {
    let chars: Vec<char> = text.to_lowercase().chars().collect();
    let digit = |index: Option<usize>| index.and_then(|i| chars.get(i)).is_some_and(char::is_ascii_digit);
    let comma_in_number = |index: usize| {
        chars.get(index) == Some(&',') && digit(index.checked_sub(1)) && digit(index.checked_add(1))
    };
    chars.iter().enumerate().filter(|(index, _)| !comma_in_number(*index)).map(|(_, c)| *c).collect()
}
