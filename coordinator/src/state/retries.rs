//! How often a unit is tried again: one bounded budget per class of failure, so that a preempted
//! worker never uses up what a failing provider may need. Budgets never grow.

use palaestra_domain::FailureClass;
use serde::{Deserialize, Serialize};

use super::time::Millis;

/// Counts per class: what is allowed, or what is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retries {
    /// After a failure of the environment or the machine, or after the deadline.
    pub infrastructure: u16,
    /// After a worker was taken away or drained.
    pub preemption: u16,
    /// After a failure of the provider.
    pub provider: u16,
    /// After answers that could not be used.
    pub model: u16,
}

impl Retries {
    /// Nothing used, or nothing allowed.
    pub const NONE: Self = Self { infrastructure: 0, preemption: 0, provider: 0, model: 0 };

    /// The count of one class. A spent budget counts nothing: the run waits until it may spend more.
    #[must_use]
    pub fn of(self, class: FailureClass) -> u16 {
        match class {
            FailureClass::Infrastructure => self.infrastructure,
            FailureClass::Preemption => self.preemption,
            FailureClass::Provider => self.provider,
            FailureClass::Model => self.model,
            FailureClass::Budget => 0,
        }
    }

    /// Counts one more of a class.
    pub(super) fn use_one(&mut self, class: FailureClass) {
        let row = match class {
            FailureClass::Infrastructure => &mut self.infrastructure,
            FailureClass::Preemption => &mut self.preemption,
            FailureClass::Provider => &mut self.provider,
            FailureClass::Model => &mut self.model,
            FailureClass::Budget => return,
        };
        *row = row.saturating_add(1);
    }
}

impl Default for Retries {
    /// Workers come and go more often than anything breaks.
    fn default() -> Self {
        Self { infrastructure: 4, preemption: 32, provider: 8, model: 2 }
    }
}

/// How long a unit rests before it is tried again, after `used` earlier retries of the class. What
/// is not the unit's own doing costs no time; a failing machine or provider gets some.
pub(super) fn rest(class: FailureClass, used: u16) -> Millis {
    let (first, most) = match class {
        FailureClass::Preemption | FailureClass::Model | FailureClass::Budget => return Millis(0),
        FailureClass::Infrastructure => (Millis::seconds(1), Millis::seconds(60)),
        FailureClass::Provider => (Millis::seconds(5), Millis::seconds(300)),
    };
    Millis(first.0.saturating_mul(1 << used.min(16))).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_a_budget_of_its_own_and_rests_grow_to_a_bound() {
        let mut used = Retries::NONE;
        used.use_one(FailureClass::Preemption);
        used.use_one(FailureClass::Budget);
        assert_eq!(used, Retries { preemption: 1, ..Retries::NONE });
        assert_eq!(Retries::default().of(FailureClass::Budget), 0);
        assert_eq!(rest(FailureClass::Preemption, 9), Millis(0));
        assert_eq!(rest(FailureClass::Provider, 0), Millis::seconds(5));
        assert_eq!(rest(FailureClass::Provider, 2), Millis::seconds(20));
        assert_eq!(rest(FailureClass::Provider, u16::MAX), Millis::seconds(300));
    }
}
