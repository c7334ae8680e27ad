//! The curriculum order of packets (§3.3, algorithm 1 line 13): by ability, then in the order of
//! the split, which is the tasks' natural order.
//!
//! Every bank receives its packets in this order whatever order they arrive in, so that the bank
//! does not depend on who was fast.

use std::cmp::Ordering;

use palaestra_domain::{Ability, Task, TaskId};

/// The bank that a task's packet feeds: its own label, else the run's, else the second part of a
/// task id with slashes (`tau2/retail/5` is `retail`), else `global`.
#[must_use]
pub fn ability_of(task: &Task, default: Option<&Ability>) -> Ability {
    let from_id = || {
        let mut parts = task.id.as_str().split('/');
        let second = parts.nth(1)?;
        parts.next()?;
        Ability::new(second.to_lowercase()).ok()
    };
    task.ability.clone().or_else(|| default.cloned()).or_else(from_id).unwrap_or_else(Ability::global)
}

/// Natural order of task ids: runs of digits compare as numbers.
#[must_use]
pub fn compare(a: &TaskId, b: &TaskId) -> Ordering {
    natural(a.as_str(), b.as_str())
}

fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (x, rest_a) = chunk(a);
        let (y, rest_b) = chunk(b);
        if x.is_empty() || y.is_empty() {
            return a.len().cmp(&b.len()).then_with(|| a.cmp(b));
        }
        let order = match (x.parse::<u64>(), y.parse::<u64>()) {
            (Ok(m), Ok(n)) => m.cmp(&n).then(x.len().cmp(&y.len())),
            _ => x.cmp(y),
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (rest_a, rest_b);
    }
}

/// The leading run of digits, or of other characters.
fn chunk(text: &str) -> (&str, &str) {
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| c.is_ascii_digit() != digit).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_ids_count_as_numbers() {
        let mut ids = ["tau2/retail/10", "tau2/retail/9", "tau2/airline/2", "x", "tau2/retail/9a", ""];
        ids.sort_by(|a, b| natural(a, b));
        assert_eq!(ids, ["", "tau2/airline/2", "tau2/retail/9", "tau2/retail/9a", "tau2/retail/10", "x"]);
    }

    #[test]
    fn a_task_without_a_label_goes_to_its_domain_or_to_the_global_bank() {
        let task = |id: &str, ability: Option<&str>| Task {
            id: TaskId::new(id).unwrap(),
            scenario: String::new(),
            ability: ability.map(|a| Ability::new(a).unwrap()),
            instruction: String::new(),
        };
        assert_eq!(ability_of(&task("tau2/retail/5", None), None).as_str(), "retail");
        assert_eq!(ability_of(&task("tau2/retail/5", Some("search")), None).as_str(), "search");
        assert_eq!(ability_of(&task("82e2fac_1", None), None).as_str(), "global");
        let all = Ability::new("all").unwrap();
        assert_eq!(ability_of(&task("tau2/retail/5", None), Some(&all)).as_str(), "all");
    }
}
