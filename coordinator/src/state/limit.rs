//! The shares of a rate limit: who may use how much of what the provider allows to all.
//!
//! A share is a lease: a holder that stops asking loses it, so idle and dead holders need no
//! detection. A smaller share counts only once its holder has seen it; until then the larger one is
//! counted, so that the shares that workers believe in never exceed the limit.

use std::collections::BTreeMap;

use palaestra_domain::WorkerId;
use serde::{Deserialize, Serialize};

use super::time::Millis;

/// A provider's limit for one model under one account, in slots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// What all workers together may use: requests in flight. Rates per minute are split alike.
    pub slots: u32,
    /// The number of the last grant; numbers are never used again.
    pub last_grant: u64,
    /// Who holds what.
    pub shares: BTreeMap<WorkerId, Share>,
}

/// What one worker may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// What it would use.
    pub want: u32,
    /// What it was dealt last.
    pub slots: u32,
    /// The most that it may believe in, as long as it has not seen the last grant.
    pub believed: u32,
    /// The number of the last grant.
    pub grant: u64,
    /// When the share ends unless the worker asks again.
    pub until: Millis,
}

impl Share {
    /// What has to be counted.
    fn counted(self) -> u32 {
        self.slots.max(self.believed)
    }
}

impl Limit {
    pub(super) fn new(slots: u32) -> Self {
        Self { slots, last_grant: 0, shares: BTreeMap::new() }
    }

    /// What all holders together may believe to have.
    #[must_use]
    pub fn dealt(&self) -> u32 {
        self.shares.values().fold(0, |sum, share| sum.saturating_add(share.counted()))
    }

    /// The share of a worker that would use `want` slots and has seen grant number `seen` (0 for
    /// none): as much of its fair part as is free.
    pub(super) fn deal(&self, worker: &WorkerId, want: u32, seen: u64, until: Millis) -> Share {
        let mine = self.shares.get(worker);
        let believed =
            mine.map_or(0, |share| if share.grant == seen { share.slots } else { share.counted() });
        let others: u32 = self
            .shares
            .iter()
            .filter(|(other, _)| *other != worker)
            .fold(0, |sum, (_, share)| sum.saturating_add(share.counted()));
        let slots = self.fair_part(worker, want).min(self.slots.saturating_sub(others));
        let unchanged = mine.filter(|share| share.slots == slots && share.grant == seen);
        let grant = unchanged.map_or(self.last_grant.saturating_add(1), |share| share.grant);
        Share { want, slots, believed, grant, until }
    }

    /// The max-min fair part of one worker: nobody gets more than it wants, and what is left over is
    /// split evenly. Where there are fewer slots than workers, they take turns: who has none comes
    /// before who has some, and among equals who was dealt to longest ago.
    fn fair_part(&self, worker: &WorkerId, want: u32) -> u32 {
        // A newcomer queues behind all who were dealt something already.
        let mine =
            self.shares.get(worker).map_or((0, self.last_grant.saturating_add(1)), |s| (s.slots, s.grant));
        let others = self.shares.iter().filter(|(other, share)| *other != worker && share.want > 0);
        let mut wants: Vec<(bool, u64, &WorkerId, u32)> =
            others.map(|(other, share)| (share.slots > 0, share.grant, other, share.want)).collect();
        if want > 0 {
            wants.push((mine.0 > 0, mine.1, worker, want));
        }
        let scarce = u32::try_from(wants.len()).is_ok_and(|wanting| self.slots < wanting);
        if scarce {
            wants.sort_unstable();
            wants.truncate(usize::try_from(self.slots).unwrap_or(usize::MAX));
        }
        // Modest wants first, so that what they leave over reaches the others.
        wants.sort_unstable_by_key(|&(_, _, holder, want)| (want, holder));
        let mut left = self.slots;
        let mut sharing = u32::try_from(wants.len()).unwrap_or(u32::MAX);
        for (_, _, holder, want) in wants {
            let part = want.min(left.checked_div(sharing).unwrap_or(0));
            if holder == worker {
                return part;
            }
            left = left.saturating_sub(part);
            sharing = sharing.saturating_sub(1);
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(name: &str) -> WorkerId {
        WorkerId::new(name).unwrap()
    }

    /// Asks, sees the answer, and keeps it.
    fn ask(limit: &mut Limit, name: &str, want: u32, seen: u64) -> Share {
        let share = limit.deal(&worker(name), want, seen, Millis(0));
        limit.last_grant = limit.last_grant.max(share.grant);
        limit.shares.insert(worker(name), share);
        share
    }

    #[test]
    fn a_smaller_share_frees_slots_only_once_it_was_seen() {
        let mut limit = Limit::new(10);
        let a = ask(&mut limit, "a", 10, 0);
        assert_eq!(a.slots, 10);
        let b = ask(&mut limit, "b", 10, 0);
        assert_eq!(b.slots, 0, "everything is dealt");
        let shrunk = ask(&mut limit, "a", 10, a.grant);
        assert_eq!((shrunk.slots, shrunk.believed), (5, 10));
        assert_eq!(ask(&mut limit, "b", 10, b.grant).slots, 0, "a may still use all ten");
        let seen = ask(&mut limit, "a", 10, shrunk.grant);
        assert_eq!((seen.slots, seen.believed, seen.grant), (5, 5, shrunk.grant));
        assert_eq!(ask(&mut limit, "b", 10, b.grant).slots, 5);
        assert_eq!(limit.dealt(), 10);
    }

    #[test]
    fn what_one_does_not_want_the_others_get() {
        let mut limit = Limit::new(10);
        assert_eq!(ask(&mut limit, "a", 2, 0).slots, 2);
        assert_eq!(ask(&mut limit, "b", 20, 0).slots, 8);
    }

    #[test]
    fn more_workers_than_slots_take_turns() {
        let mut limit = Limit::new(1);
        let names = ["a", "b", "c"];
        let mut seen = [0; 3];
        let mut turns = Vec::new();
        for _ in 0..30 {
            for (name, seen) in names.iter().zip(&mut seen) {
                let share = ask(&mut limit, name, 1, *seen);
                *seen = share.grant;
                assert!(limit.dealt() <= 1);
                if share.slots > 0 && turns.last() != Some(name) {
                    turns.push(*name);
                }
            }
        }
        let count = |who| turns.iter().filter(|turn| **turn == who).count();
        let (least, most) = (names.map(count).into_iter().min(), names.map(count).into_iter().max());
        assert!(least >= Some(2) && most <= least.map(|least| least + 1), "unfair turns: {turns:?}");
    }
}
