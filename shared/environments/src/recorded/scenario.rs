//! Which world's values a trajectory deals with: the customer, in the tau benchmarks.
//!
//! Read from what the environment confirmed in the trajectory itself, never from the task's
//! definition, which is for scoring only. A trajectory whose agent never identified its customer
//! tells nothing; the import lets the trajectories of one task vote.

use std::collections::BTreeMap;

use palaestra_domain::trajectory::{Event, EventBody};

/// The customer that the environment confirmed first: what a `find_user_id_*` call returned, or
/// whom a `get_user_details` call that did not fail asked for.
pub(super) fn customer(events: &[Event]) -> Option<String> {
    let mut asked: BTreeMap<&str, (&str, Option<&str>)> = BTreeMap::new();
    for event in events {
        match &event.body {
            EventBody::Call { call, function, arguments, .. } => {
                let user = arguments.object().and_then(|map| map.get("user_id")).and_then(|id| id.as_str());
                asked.insert(call, (function.function(), user));
            }
            EventBody::Observation { call, content, error: false } => match asked.get(call.as_str()) {
                Some((function, _)) if function.starts_with("find_user_id") && is_user_id(content) => {
                    return Some(content.clone());
                }
                Some(("get_user_details", Some(user))) => return Some((*user).to_owned()),
                _ => {}
            },
            _ => {}
        }
    }
    None
}

/// The scenario of a task whose customer nobody saw: its id, without the persona of the simulated
/// user (`[PERSONA:Easy]`), which changes the talk and not the world.
pub(super) fn of_task_id(id: &str) -> &str {
    id.rsplit_once("[PERSONA:").map_or(id, |(task, _)| task)
}

/// One word in lowercase, digits and underscores, as the tau benchmarks write user ids.
fn is_user_id(text: &str) -> bool {
    text.len() <= 64
        && text.contains('_')
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personas_share_a_scenario() {
        assert_eq!(of_task_id("tau2/telecom/[issue]a|b[PERSONA:Hard]"), "tau2/telecom/[issue]a|b");
        assert_eq!(of_task_id("tau2/retail/5"), "tau2/retail/5");
    }
}
