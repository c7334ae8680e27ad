//! One slot of a worker process and the unit in it: its calls, and then a result. It talks to the
//! leader only through commands that it repeats until they are answered.

use palaestra_coordinator::state::{Command, Payer, Refusal};
use palaestra_coordinator::{Answer, Grant};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{Digest, FailureClass, Lease, Tally};

use crate::call::{Calls, Deed, Heard};
use crate::prng::Prng;

/// How long an answer is waited for before the command is sent again, in milliseconds.
const PATIENCE: u64 = 1_500;

/// A place for one unit.
#[derive(Debug)]
pub struct Slot {
    /// What kind of unit fits.
    pub environment: EnvironmentName,
    /// The unit in it.
    pub work: Option<Work>,
    /// It does nothing until then.
    pub hangs_until: u64,
    /// It hangs for so long as soon as there is a unit in it.
    pub will_hang: Option<u64>,
}

/// A unit being worked on.
#[derive(Debug)]
pub struct Work {
    /// The right to do it.
    pub lease: Lease,
    /// When the lease ends, as far as this process knows.
    pub until: u64,
    attempts: u32,
    calls: Calls,
    /// How it ends without a result, if it does: at once, or after its calls.
    fails: Option<FailureClass>,
    fails_now: bool,
    /// Not before this is the end said again.
    again_at: u64,
    /// Requests that said the end.
    asked: Vec<u64>,
}

/// The address of the result that a lease brings: whoever sees it knows whose it is.
pub fn result_of(lease: &Lease) -> Digest {
    Digest::of(lease.to_string().as_bytes())
}

impl Work {
    /// Begins a unit.
    pub fn begin(grant: &Grant, asked_at: u64, prng: &mut Prng) -> Self {
        let fails = match prng.between(0, 99) {
            0..=5 => Some(FailureClass::Infrastructure),
            6..=8 => Some(FailureClass::Provider),
            9..=10 => Some(FailureClass::Model),
            _ => None,
        };
        let calls = u32::try_from(prng.between(0, 3)).unwrap_or(0);
        Self {
            lease: grant.lease.clone(),
            until: asked_at.saturating_add(grant.lasts.0),
            attempts: grant.plan.attempts,
            calls: Calls::new(Payer::Lease(grant.lease.clone()), calls),
            fails,
            fails_now: false,
            again_at: 0,
            asked: Vec::new(),
        }
    }

    /// Ends without a result, whatever is under way.
    fn fail(&mut self, class: FailureClass) {
        (self.fails, self.fails_now, self.again_at) = (Some(class), true, 0);
        self.asked.clear();
    }

    /// The unit goes back.
    pub fn give_back(&mut self) {
        if !(self.fails_now && self.fails == Some(FailureClass::Preemption)) {
            self.fail(FailureClass::Preemption);
        }
    }

    /// Whether a call of it is on its way.
    pub fn is_calling(&self) -> bool {
        !self.fails_now && self.calls.is_calling()
    }

    fn ends(&self) -> bool {
        self.fails_now || self.calls.is_done()
    }

    /// A request was sent.
    pub fn asked(&mut self, request: u64) {
        if self.ends() {
            self.asked.push(request);
        } else {
            self.calls.asked(request);
        }
    }

    /// Goes on as far as time allows.
    pub fn look(&mut self, now: u64, share_is_free: bool, prng: &mut Prng) -> Option<Deed> {
        if !self.ends() {
            return self.calls.look(now, share_is_free, prng);
        }
        if now < self.again_at {
            return None;
        }
        self.again_at = now.saturating_add(PATIENCE);
        let lease = self.lease.clone();
        Some(Deed::Ask(match self.fails {
            Some(class) => Command::Fail { lease, class },
            None => {
                let tally = Tally { passed: self.attempts, ..Tally::default() };
                Command::Result { result: result_of(&lease), lease, tally }
            }
        }))
    }

    /// Hears an answer. Whether the work goes on.
    pub fn hear(&mut self, request: u64, answer: &Result<Answer, Refusal>, prng: &mut Prng) -> bool {
        if self.ends() {
            return !self.asked.contains(&request);
        }
        match self.calls.hear(request, answer, prng) {
            Heard::GoesOn => true,
            Heard::Exhausted => {
                self.fail(FailureClass::Budget);
                true
            }
            Heard::Over => false,
        }
    }
}
