//! One slot of a worker process and the unit in it: calls, each reserved, made and settled, and then
//! a result. It talks to the leader only through commands that it repeats until they are answered.

use palaestra_coordinator::state::{Command, Refusal, Spend};
use palaestra_coordinator::{Answer, Grant};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{Digest, FailureClass, Lease, NanoUsd, Tally};

use crate::prng::Prng;
use crate::workload::MOST_PER_CALL;

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

/// Where the work stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Reserving,
    Releasing,
    WaitingForShare,
    /// The share was looked at; the call goes out whatever happens meanwhile.
    Dialing(u64),
    /// The provider works until then, and has billed.
    Calling(u64, NanoUsd),
    Settling(NanoUsd),
    Reporting,
    Failing(FailureClass),
}

/// A unit being worked on.
#[derive(Debug)]
pub struct Work {
    /// The right to do it.
    pub lease: Lease,
    /// When the lease ends, as far as this process knows.
    pub until: u64,
    attempts: u32,
    calls_left: u32,
    call: u32,
    stage: Stage,
    /// How it will end without a result, if it does.
    fails: Option<FailureClass>,
    /// Not before this is the stage's command sent again.
    again_at: u64,
    /// Requests of this stage that were sent.
    asked: Vec<u64>,
}

/// What a slot does when it looks around.
pub enum Deed {
    /// It asks the leader; the request's number goes to [`Work::asked`].
    Ask(Command),
    /// The provider bills.
    Bill(NanoUsd),
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
        let calls_left = u32::try_from(prng.between(0, 3)).unwrap_or(0);
        Self {
            lease: grant.lease.clone(),
            until: asked_at.saturating_add(grant.lasts.0),
            attempts: grant.plan.attempts,
            calls_left,
            call: 0,
            stage: Self::next_stage(calls_left, fails),
            fails,
            again_at: 0,
            asked: Vec::new(),
        }
    }

    fn next_stage(calls_left: u32, fails: Option<FailureClass>) -> Stage {
        match (calls_left, fails) {
            (0, None) => Stage::Reporting,
            (0, Some(class)) => Stage::Failing(class),
            _ => Stage::Reserving,
        }
    }

    fn enter(&mut self, stage: Stage) {
        (self.stage, self.again_at) = (stage, 0);
        self.asked.clear();
    }

    /// The unit goes back.
    pub fn give_back(&mut self) {
        if self.stage != Stage::Failing(FailureClass::Preemption) {
            self.enter(Stage::Failing(FailureClass::Preemption));
        }
    }

    /// Whether a call of it is on its way.
    pub fn is_calling(&self) -> bool {
        matches!(self.stage, Stage::Dialing(_) | Stage::Calling(..))
    }

    /// A request of this stage was sent.
    pub fn asked(&mut self, request: u64) {
        self.asked.push(request);
    }

    /// Goes on as far as time allows.
    pub fn look(&mut self, now: u64, share_is_free: bool, prng: &mut Prng) -> Option<Deed> {
        match self.stage {
            Stage::WaitingForShare if share_is_free => {
                self.enter(Stage::Dialing(now.saturating_add(prng.between(0, 400))));
                None
            }
            Stage::Dialing(at) if now >= at => {
                let used = NanoUsd(prng.between(1, MOST_PER_CALL));
                self.enter(Stage::Calling(now.saturating_add(prng.between(200, 6_000)), used));
                Some(Deed::Bill(used))
            }
            Stage::Calling(until, used) if now >= until => {
                self.enter(Stage::Settling(used));
                None
            }
            Stage::WaitingForShare | Stage::Dialing(_) | Stage::Calling(..) => None,
            _ if now < self.again_at => None,
            _ => {
                self.again_at = now.saturating_add(PATIENCE);
                self.command().map(Deed::Ask)
            }
        }
    }

    fn command(&self) -> Option<Command> {
        let (lease, call) = (self.lease.clone(), self.call);
        let spend = |usd| Spend { usd, tokens: 0 };
        match self.stage {
            Stage::Reserving => Some(Command::Reserve { lease, call, most: spend(NanoUsd(MOST_PER_CALL)) }),
            Stage::Releasing => Some(Command::Release { lease, call }),
            Stage::Settling(used) => Some(Command::Settle { lease, call, used: spend(used) }),
            Stage::Reporting => {
                let tally = Tally { passed: self.attempts, ..Tally::default() };
                Some(Command::Result { result: result_of(&lease), lease, tally })
            }
            Stage::Failing(class) => Some(Command::Fail { lease, class }),
            Stage::WaitingForShare | Stage::Dialing(_) | Stage::Calling(..) => None,
        }
    }

    /// Hears an answer. Whether the work goes on.
    pub fn hear(&mut self, request: u64, answer: &Result<Answer, Refusal>, prng: &mut Prng) -> bool {
        if !self.asked.contains(&request) {
            return true;
        }
        match (self.stage, answer) {
            (Stage::Reserving, Ok(_)) if prng.percent(5) => self.enter(Stage::Releasing),
            (Stage::Reserving, Ok(_)) => self.enter(Stage::WaitingForShare),
            (Stage::Reserving, Err(Refusal::BudgetHeld { .. })) => {}
            (Stage::Reserving, Err(Refusal::BudgetExhausted { .. })) => {
                self.enter(Stage::Failing(FailureClass::Budget));
            }
            (Stage::Settling(_) | Stage::Releasing, Ok(_)) => {
                self.call = self.call.saturating_add(1);
                self.calls_left = self.calls_left.saturating_sub(1);
                self.enter(Self::next_stage(self.calls_left, self.fails));
            }
            _ => return false,
        }
        true
    }
}
