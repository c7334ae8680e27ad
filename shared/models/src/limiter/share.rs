//! When a lane asks for a share, keeps to it, and gives it back: the process's side of the dealing.
//! A value that decides; it neither asks nor reads a clock.
//!
//! A larger share is used at once. A smaller one is confirmed, with the number of its grant, once no
//! more slots than it gives are in use: until then the dealer counts the larger one. A share that ran
//! out gives no slot, whatever the dealer is doing.

use std::time::{Duration, Instant};

use super::dealer::Dealt;

/// A lane that nobody used for so long gives its share back.
pub(super) const IDLE: Duration = Duration::from_secs(5);

/// Whoever was dealt nothing asks again after so long, at the latest.
pub(super) const EMPTY_HANDED: Duration = Duration::from_secs(1);

/// No dealer is asked more often than this by the passing of time alone.
const SHORTEST_STEP: Duration = Duration::from_millis(50);

/// What a lane wants of its limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Demand {
    /// Slots of the whole limit.
    pub(super) total: u32,
    /// Calls that wait for a slot or have one.
    pub(super) calls: u32,
    /// Slots in use.
    pub(super) in_use: u32,
}

impl Demand {
    /// Slots that would be used.
    pub(super) fn want(self) -> u32 {
        self.calls.min(self.total)
    }
}

/// What a lane does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Ask for a share.
    Ask { total: u32, want: u32, seen: u64 },
    /// Give the share back: it is used no longer.
    GiveBack { grant: u64 },
    /// Look again when something changes, or after this time.
    Rest(Option<Duration>),
}

/// A share that is obeyed.
#[derive(Debug, Clone, Copy)]
struct Held {
    grant: u64,
    slots: u32,
    until: Instant,
}

/// The share of a lane.
#[derive(Debug)]
pub(super) struct Share {
    held: Option<Held>,
    /// The newest grant that was kept to.
    seen: u64,
    /// It shrank, and the dealer was not told yet that this is obeyed.
    shrank: bool,
    /// What was asked for last.
    asked: Demand,
    /// When to ask again, whatever happens or not.
    again: Instant,
    /// No earlier than this, whatever happens: the dealer failed.
    not_before: Instant,
    /// When the lane was used last.
    used: Instant,
}

impl Share {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            held: None,
            seen: 0,
            shrank: false,
            asked: Demand::default(),
            again: now,
            not_before: now,
            used: now,
        }
    }

    /// Slots that may be used now.
    pub(super) fn slots(&self, now: Instant) -> u32 {
        self.held.filter(|held| now < held.until).map_or(0, |held| held.slots)
    }

    /// Whether there is none, not even one that ran out.
    pub(super) fn is_none(&self) -> bool {
        self.held.is_none()
    }

    /// A slot was wanted or freed.
    pub(super) fn touch(&mut self, now: Instant) {
        self.used = now;
    }

    /// Decides, and takes what it decides as done.
    pub(super) fn next(&mut self, demand: Demand, now: Instant) -> Next {
        if demand.want() == 0 {
            return self.idle(now);
        }
        let kept_to = self.held.filter(|held| demand.in_use <= held.slots);
        let more = demand.want() > self.asked.want();
        let changed = more || demand.total != self.asked.total || (self.shrank && kept_to.is_some());
        let due = if changed { self.not_before } else { self.again.max(self.not_before) };
        if now < due {
            return Next::Rest(Some(due.duration_since(now)));
        }
        if let Some(held) = kept_to {
            (self.seen, self.shrank) = (held.grant, false);
        }
        self.asked = demand;
        Next::Ask { total: demand.total, want: demand.want(), seen: self.seen }
    }

    fn idle(&mut self, now: Instant) -> Next {
        let Some(held) = self.held else { return Next::Rest(None) };
        let end = self.used.checked_add(IDLE).unwrap_or(now);
        if now < end {
            return Next::Rest(Some(end.duration_since(now)));
        }
        *self = Self { not_before: self.not_before, ..Self::new(now) };
        Next::GiveBack { grant: held.grant }
    }

    /// The dealer answered what was asked for at `asked`.
    pub(super) fn dealt(&mut self, dealt: Dealt, asked: Instant) {
        let slots = dealt.slots.min(self.asked.total);
        self.shrank |= self.held.is_some_and(|held| slots < held.slots);
        let until = asked.checked_add(dealt.lasts).unwrap_or(asked);
        self.held = Some(Held { grant: dealt.grant, slots, until });
        let third = dealt.lasts / 3;
        let step = if slots == 0 { third.min(EMPTY_HANDED) } else { third };
        self.again = asked.checked_add(step.max(SHORTEST_STEP)).unwrap_or(asked);
        self.not_before = asked;
    }

    /// The dealer failed: it is left alone until then.
    pub(super) fn refused(&mut self, not_before: Instant) {
        (self.again, self.not_before) = (not_before, not_before);
    }
}
