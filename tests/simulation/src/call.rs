//! The model calls of one payer, one after another: each reserved, made, and settled, released or
//! lost. Commands are repeated until they are answered.

use palaestra_coordinator::Answer;
use palaestra_coordinator::state::{Command, Payer, Refusal};
use palaestra_domain::{NanoUsd, Spend};

use crate::prng::Prng;
use crate::workload::MOST_PER_CALL;

/// How long an answer is waited for before the command is sent again, in milliseconds.
const PATIENCE: u64 = 1_500;

/// Where the present call stands.
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
    /// No answer came, and nobody knows whether it was billed.
    Losing,
    Done,
}

/// The calls of one payer.
#[derive(Debug)]
pub struct Calls {
    payer: Payer,
    left: u32,
    call: u32,
    stage: Stage,
    /// Not before this is the stage's command sent again.
    again_at: u64,
    /// Requests of this stage that were sent.
    asked: Vec<u64>,
}

/// What is done next.
pub enum Deed {
    /// Somebody asks the leader; the request's number goes to [`Calls::asked`].
    Ask(Command),
    /// The provider bills a call of a payer.
    Bill(Payer, u32, NanoUsd),
}

/// What an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The calls go on.
    GoesOn,
    /// The budget does not allow the next call.
    Exhausted,
    /// The payer may not pay any more.
    Over,
}

impl Calls {
    /// So many calls.
    pub fn new(payer: Payer, left: u32) -> Self {
        let stage = if left == 0 { Stage::Done } else { Stage::Reserving };
        Self { payer, left, call: 0, stage, again_at: 0, asked: Vec::new() }
    }

    fn enter(&mut self, stage: Stage) {
        (self.stage, self.again_at) = (stage, 0);
        self.asked.clear();
    }

    /// Whether all are made.
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// Whether a call is on its way.
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
                Some(Deed::Bill(self.payer.clone(), self.call, used))
            }
            Stage::Calling(until, used) if now >= until => {
                self.enter(if prng.percent(8) { Stage::Losing } else { Stage::Settling(used) });
                None
            }
            Stage::WaitingForShare | Stage::Dialing(_) | Stage::Calling(..) | Stage::Done => None,
            _ if now < self.again_at => None,
            _ => {
                self.again_at = now.saturating_add(PATIENCE);
                self.command().map(Deed::Ask)
            }
        }
    }

    fn command(&self) -> Option<Command> {
        let (payer, call) = (self.payer.clone(), self.call);
        let spend = |usd| Spend { usd, tokens: 0 };
        match self.stage {
            Stage::Reserving => Some(Command::Reserve { payer, call, most: spend(NanoUsd(MOST_PER_CALL)) }),
            Stage::Releasing => Some(Command::Release { payer, call }),
            Stage::Settling(used) => Some(Command::Settle { payer, call, used: spend(used) }),
            Stage::Losing => Some(Command::Lost { payer, call }),
            Stage::WaitingForShare | Stage::Dialing(_) | Stage::Calling(..) | Stage::Done => None,
        }
    }

    /// Hears an answer.
    pub fn hear(&mut self, request: u64, answer: &Result<Answer, Refusal>, prng: &mut Prng) -> Heard {
        if !self.asked.contains(&request) {
            return Heard::GoesOn;
        }
        match (self.stage, answer) {
            (Stage::Reserving, Ok(_)) if prng.percent(5) => self.enter(Stage::Releasing),
            (Stage::Reserving, Ok(_)) => self.enter(Stage::WaitingForShare),
            (Stage::Reserving, Err(Refusal::BudgetHeld { .. })) => {}
            (Stage::Reserving, Err(Refusal::BudgetExhausted { .. })) => return Heard::Exhausted,
            (Stage::Settling(_) | Stage::Releasing | Stage::Losing, Ok(_)) => {
                self.call = self.call.saturating_add(1);
                self.left = self.left.saturating_sub(1);
                self.enter(if self.left == 0 { Stage::Done } else { Stage::Reserving });
            }
            _ => return Heard::Over,
        }
        Heard::GoesOn
    }
}
