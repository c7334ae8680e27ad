//! One writer per bank, fed in curriculum order whatever the order of arrival.

use std::collections::{BTreeMap, VecDeque};

use palaestra_domain::{Ability, Digest};

use crate::state::{Run, UnitState};

/// A result whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// Its unit's place in the run.
    pub unit: u32,
    /// Its address.
    pub result: Digest,
}

/// The banks of one run and what each waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sequencer {
    /// Units that feed a bank and are not curated, in curriculum order.
    banks: BTreeMap<Ability, VecDeque<u32>>,
    /// Units that have ended out of turn: their result, or none.
    ended: BTreeMap<u32, Option<Digest>>,
}

impl Sequencer {
    /// The sequencer of a run as it stands. [`Sequencer::curated`] then takes out what the banks hold
    /// already.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let mut sequencer = Self::default();
        for (index, unit) in (0..).zip(run.units()) {
            let Some(bank) = &unit.plan.bank else { continue };
            sequencer.banks.entry(bank.clone()).or_default().push_back(index);
            match &unit.state {
                UnitState::Committed { result, .. } => sequencer.end(index, Some(*result)),
                UnitState::Unresolved { .. } => sequencer.end(index, None),
                UnitState::Waiting { .. } | UnitState::Leased { .. } => {}
            }
        }
        sequencer
    }

    /// A unit has ended, with a result or without one. Hearing it again changes nothing.
    pub fn end(&mut self, unit: u32, result: Option<Digest>) {
        self.ended.insert(unit, result);
    }

    /// The next packet of each bank whose turn has come.
    pub fn ready(&mut self) -> Vec<(Ability, Packet)> {
        let mut ready = Vec::new();
        for (bank, order) in &mut self.banks {
            while let Some(unit) = order.front() {
                match self.ended.get(unit) {
                    None => break,
                    Some(Some(result)) => {
                        ready.push((bank.clone(), Packet { unit: *unit, result: *result }));
                        break;
                    }
                    Some(None) => {
                        self.ended.remove(unit);
                        order.pop_front();
                    }
                }
            }
        }
        ready
    }

    /// A bank holds everything up to this unit.
    pub fn curated(&mut self, bank: &Ability, unit: u32) {
        if let Some(order) = self.banks.get_mut(bank) {
            while let Some(next) = order.pop_front_if(|next| *next <= unit) {
                self.ended.remove(&next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sequencer(banks: &[u8]) -> Sequencer {
        let mut sequencer = Sequencer::default();
        for (index, bank) in (0..).zip(banks) {
            let bank = Ability::new(format!("bank-{bank}")).unwrap();
            sequencer.banks.entry(bank).or_default().push_back(index);
        }
        sequencer
    }

    /// Curates everything whose turn has come.
    fn drain(sequencer: &mut Sequencer, curated: &mut BTreeMap<Ability, Vec<u32>>) {
        loop {
            let ready = sequencer.ready();
            if ready.is_empty() {
                return;
            }
            for (bank, packet) in ready {
                assert_eq!(packet.result, Digest::of(&packet.unit.to_le_bytes()));
                sequencer.curated(&bank, packet.unit);
                curated.entry(bank).or_default().push(packet.unit);
            }
        }
    }

    proptest! {
        #[test]
        fn a_bank_sees_its_packets_in_order_whatever_order_they_arrive_in(
            (banks, arrival) in prop::collection::vec(0..3_u8, 1..30).prop_flat_map(|banks| {
                let order: Vec<u32> = (0..).take(banks.len()).collect();
                (Just(banks), Just(order).prop_shuffle())
            }),
            unresolved in prop::collection::btree_set(0..30_u32, 0..6),
        ) {
            let (mut live, mut curated) = (sequencer(&banks), BTreeMap::new());
            for unit in arrival {
                let result = (!unresolved.contains(&unit)).then(|| Digest::of(&unit.to_le_bytes()));
                live.end(unit, result);
                live.end(unit, result);
                drain(&mut live, &mut curated);
            }
            let mut expected: BTreeMap<Ability, Vec<u32>> = BTreeMap::new();
            for (unit, bank) in (0..).zip(&banks).filter(|(unit, _)| !unresolved.contains(unit)) {
                expected.entry(Ability::new(format!("bank-{bank}")).unwrap()).or_default().push(unit);
            }
            prop_assert_eq!(curated, expected);
        }
    }

    #[test]
    fn a_bank_waits_for_its_oldest_unit_and_another_bank_does_not() {
        let mut sequencer = sequencer(&[0, 1, 0]);
        sequencer.end(2, Some(Digest::of(b"2")));
        assert_eq!(sequencer.ready(), []);
        sequencer.end(1, Some(Digest::of(b"1")));
        let bank = Ability::new("bank-1").unwrap();
        assert_eq!(sequencer.ready(), [(bank, Packet { unit: 1, result: Digest::of(b"1") })]);
    }

    #[test]
    fn what_a_bank_holds_already_is_not_offered_again() {
        let mut sequencer = sequencer(&[0, 0, 0]);
        for unit in 0..3 {
            sequencer.end(unit, Some(Digest::of(b"x")));
        }
        let bank = Ability::new("bank-0").unwrap();
        sequencer.curated(&bank, 1);
        assert_eq!(sequencer.ready(), [(bank, Packet { unit: 2, result: Digest::of(b"x") })]);
    }
}
