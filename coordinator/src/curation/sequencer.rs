//! One writer per bank, fed in curriculum order whatever the order of arrival.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use palaestra_domain::Ability;

use crate::state::Run;

/// The banks of one run and what each waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sequencer {
    /// Units that had no turn yet, by the bank that they feed, in curriculum order; those of a run
    /// that is only measured feed none and are one sequence.
    banks: BTreeMap<Option<Ability>, VecDeque<u32>>,
    /// Units that have ended out of turn.
    ended: BTreeSet<u32>,
}

impl Sequencer {
    /// The sequencer of a run that builds banks, as it stands before any unit had its turn; units that
    /// feed none are left out. Takes time with the run's units.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        Self::over(run, false)
    }

    /// The sequencer of a run that is only measured: all its units, in their order.
    #[must_use]
    pub fn of_measured(run: &Run) -> Self {
        Self::over(run, true)
    }

    fn over(run: &Run, measured: bool) -> Self {
        let mut sequencer = Self::default();
        for (index, unit) in (0..).zip(run.units()) {
            let bank = &unit.plan.bank;
            if bank.is_none() != measured {
                continue;
            }
            sequencer.banks.entry(bank.clone()).or_default().push_back(index);
            if unit.state.ended() {
                sequencer.end(index);
            }
        }
        sequencer
    }

    /// A unit has ended, with a result or without one. Hearing it again changes nothing.
    pub fn end(&mut self, unit: u32) {
        self.ended.insert(unit);
    }

    /// The units whose turn has come, each once, in curriculum order within each bank.
    pub fn turns(&mut self) -> Vec<u32> {
        let mut turns = Vec::new();
        for order in self.banks.values_mut() {
            while let Some(unit) = order.pop_front_if(|unit| self.ended.remove(unit)) {
                turns.push(unit);
            }
        }
        turns
    }

    /// Whether every unit that feeds a bank had its turn.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.banks.values().all(VecDeque::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sequencer(banks: &[u8]) -> Sequencer {
        let mut sequencer = Sequencer::default();
        for (index, bank) in (0..).zip(banks) {
            let bank = Some(Ability::new(format!("bank-{bank}")).unwrap());
            sequencer.banks.entry(bank).or_default().push_back(index);
        }
        sequencer
    }

    proptest! {
        #[test]
        fn a_bank_sees_its_units_in_order_whatever_order_they_end_in(
            (banks, arrival) in prop::collection::vec(0..3_u8, 1..30).prop_flat_map(|banks| {
                let order: Vec<u32> = (0..).take(banks.len()).collect();
                (Just(banks), Just(order).prop_shuffle())
            }),
        ) {
            let (mut live, mut seen) = (sequencer(&banks), BTreeMap::<u8, Vec<u32>>::new());
            for unit in arrival {
                prop_assert!(!live.is_done());
                live.end(unit);
                live.end(unit);
                for turn in live.turns() {
                    seen.entry(banks[turn as usize]).or_default().push(turn);
                }
            }
            prop_assert!(live.is_done());
            let mut expected: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
            for (unit, bank) in (0..).zip(&banks) {
                expected.entry(*bank).or_default().push(unit);
            }
            prop_assert_eq!(seen, expected);
        }
    }

    #[test]
    fn a_bank_waits_for_its_oldest_unit_and_another_bank_does_not() {
        let mut sequencer = sequencer(&[0, 1, 0]);
        sequencer.end(2);
        assert_eq!(sequencer.turns(), [0_u32; 0]);
        sequencer.end(1);
        assert_eq!(sequencer.turns(), [1]);
        sequencer.end(0);
        assert_eq!(sequencer.turns(), [0, 2]);
    }
}
