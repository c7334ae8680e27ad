//! The curation of one run in a leader's process: it begins a term, makes its calls, and freezes the
//! bank once every unit has ended.

use palaestra_coordinator::Answer;
use palaestra_coordinator::state::{Command, Payer, Refusal};
use palaestra_domain::{Digest, RunName};

use crate::call::{Calls, Deed, Heard};
use crate::prng::Prng;

/// How long it rests before it asks again, in milliseconds.
const PATIENCE: u64 = 1_500;

/// Where it stands.
#[derive(Debug)]
enum Stage {
    Beginning,
    Calling(u32, Calls),
    Freezing(u32),
    Done,
}

/// A curator.
#[derive(Debug)]
pub struct Curator {
    /// In whose process it lives.
    pub leader: u64,
    pub run: RunName,
    /// Whether another one has been started in its place.
    pub replaced: bool,
    stage: Stage,
    prng: Prng,
    /// Not before this is asked again.
    again_at: u64,
    /// Requests of this stage that were sent.
    asked: Vec<u64>,
}

impl Curator {
    /// A curator that waits for so long at most before it begins.
    pub fn new(leader: u64, run: RunName, now: u64, most: u64, mut prng: Prng) -> Self {
        let again_at = now.saturating_add(prng.between(0, most));
        Self { leader, run, replaced: false, stage: Stage::Beginning, prng, again_at, asked: Vec::new() }
    }

    fn enter(&mut self, stage: Stage, again_at: u64) {
        (self.stage, self.again_at) = (stage, again_at);
        self.asked.clear();
    }

    /// Whether it has nothing more to do. One that was replaced before it began does nothing.
    pub fn is_done(&self) -> bool {
        match self.stage {
            Stage::Done => true,
            Stage::Beginning | Stage::Freezing(_) => self.replaced,
            Stage::Calling(..) => false,
        }
    }

    /// A request was sent.
    pub fn asked(&mut self, request: u64) {
        match &mut self.stage {
            Stage::Calling(_, calls) => calls.asked(request),
            _ => self.asked.push(request),
        }
    }

    /// Looks around.
    pub fn look(&mut self, now: u64) -> Option<Deed> {
        if let Stage::Calling(term, calls) = &mut self.stage {
            let deed = calls.look(now, true, &mut self.prng);
            if calls.is_done() {
                let term = *term;
                self.enter(Stage::Freezing(term), now);
            }
            return deed;
        }
        if now < self.again_at {
            return None;
        }
        self.again_at = now.saturating_add(PATIENCE);
        let run = self.run.clone();
        match self.stage {
            Stage::Beginning => Some(Deed::Ask(Command::BeginCuration { run })),
            Stage::Freezing(term) => {
                let bank = Digest::of(run.as_str().as_bytes());
                Some(Deed::Ask(Command::Freeze { run, term, bank }))
            }
            Stage::Calling(..) | Stage::Done => None,
        }
    }

    /// Hears an answer.
    pub fn hear(&mut self, request: u64, answer: &Result<Answer, Refusal>, now: u64) {
        let mine = self.asked.contains(&request);
        let later = now.saturating_add(PATIENCE);
        match (&mut self.stage, answer) {
            (Stage::Calling(term, calls), answer) => {
                let term = *term;
                match calls.hear(request, answer, &mut self.prng) {
                    Heard::GoesOn => {}
                    Heard::Exhausted => self.enter(Stage::Freezing(term), later),
                    Heard::Over => self.over(answer, later),
                }
            }
            (Stage::Beginning, Ok(Answer::Term(term))) if mine => {
                let payer = Payer::Curation { run: self.run.clone(), term: *term };
                let calls = u32::try_from(self.prng.between(0, 8)).unwrap_or(0);
                self.enter(Stage::Calling(*term, Calls::new(payer, calls)), now);
            }
            (Stage::Freezing(_), Ok(_)) if mine => self.enter(Stage::Done, now),
            // Units are open still: it asks again later.
            (Stage::Freezing(_), Err(Refusal::RunOpen { .. })) => {}
            (_, Err(_)) if mine => self.over(answer, later),
            _ => {}
        }
    }

    /// Another term has begun, or the run is cancelled.
    fn over(&mut self, answer: &Result<Answer, Refusal>, later: u64) {
        let again = matches!(answer, Err(Refusal::StaleTerm { .. })) && !self.replaced;
        self.enter(if again { Stage::Beginning } else { Stage::Done }, later);
    }
}
