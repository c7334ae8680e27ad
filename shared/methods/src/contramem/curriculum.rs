//! The curriculum order of packets (§3.3, algorithm 1 line 13): by ability, then in the order of
//! the split, which is the tasks' natural order.
//!
//! Every bank receives its packets in this order whatever order they arrive in, so that the bank
//! does not depend on who was fast.

use std::cmp::Ordering;

use palaestra_domain::{Ability, Task, TaskId};
use palaestra_environments::recorded::natural_cmp;

/// The bank that a task's packet feeds: its own label, else the run's, else the second part of a
/// task id with slashes (`tau2/retail/5` is `retail`), unless the first part names suite and domain at
/// once (`intercode-bash/fs_1/0` is `bash`), else `global`.
#[must_use]
pub fn ability_of(task: &Task, default: Option<&Ability>) -> Ability {
    let from_id = || {
        let mut parts = task.id.as_str().split('/');
        let (first, second, _) = (parts.next()?, parts.next()?, parts.next()?);
        let domain = first.rsplit_once('-').map_or(second, |(_, domain)| domain);
        Ability::new(domain.to_lowercase()).ok()
    };
    task.ability.clone().or_else(|| default.cloned()).or_else(from_id).unwrap_or_else(Ability::global)
}

/// The order of packets, each by its bank and its task.
#[must_use]
pub fn order(a: (&Ability, &TaskId), b: (&Ability, &TaskId)) -> Ordering {
    a.0.cmp(b.0).then_with(|| compare(a.1, b.1))
}

/// Natural order of task ids: runs of digits compare as numbers.
#[must_use]
pub fn compare(a: &TaskId, b: &TaskId) -> Ordering {
    natural_cmp(a.as_str(), b.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(ability_of(&task("intercode-bash/fs_1/0", None), None).as_str(), "bash");
        assert_eq!(ability_of(&task("82e2fac_1", None), None).as_str(), "global");
        let all = Ability::new("all").unwrap();
        assert_eq!(ability_of(&task("tau2/retail/5", None), Some(&all)).as_str(), "all");
    }
}
