//! A model's conversation during an attempt, as every agent with a model has it: turns within limits,
//! what is heard, and the second chance after a turn of which nothing can be made.

use std::sync::Arc;
use std::time::Instant;

use palaestra_models::{CallScope, Message, ModelRequest, ModelResponse, Role};
use palaestra_runtime::Clock;

use crate::failure;
use crate::limits::Limits;
use crate::session::{Session, Stop};

/// The ledger's name for an acting agent.
pub(crate) const AGENT: Role = Role::new("agent");

/// What stands in the conversation for a turn without words: services refuse an empty one.
const NOTHING: &str = "(nothing)";

/// Why nothing can be made of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing in it.
    Empty,
    /// Cut off at the output limit before what counts was whole.
    CutOff,
    /// Withheld or refused by the service.
    Withheld,
}

impl Fault {
    /// What happened, for the trajectory's notes and for an outcome.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Empty => "the model's answer was empty",
            Self::CutOff => "the model's answer was cut off at its output limit",
            Self::Withheld => "the service withheld or refused the model's answer",
        }
    }
}

/// The conversation so far, and how long it may go on.
pub(crate) struct Conversation<'a, 'e> {
    /// The way to the environment.
    pub(crate) session: &'a mut Session<'e>,
    limits: Limits,
    scope: CallScope,
    request: ModelRequest,
    clock: Arc<dyn Clock>,
    started: Instant,
    turns: usize,
    /// The last turn was of no use, and the model has been told so.
    nudged: bool,
}

impl<'a, 'e> Conversation<'a, 'e> {
    /// A conversation that begins with a request.
    pub(crate) fn new(
        session: &'a mut Session<'e>,
        limits: Limits,
        scope: CallScope,
        request: ModelRequest,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let started = clock.monotonic();
        Self { session, limits, scope, request, clock, started, turns: 0, nudged: false }
    }

    /// One turn of the model within the limits.
    ///
    /// # Errors
    /// [`Stop::Limit`], and whatever the way to the model meets.
    pub(crate) async fn ask(&mut self) -> Result<ModelResponse, Stop> {
        self.check_time()?;
        if self.turns >= self.limits.turns {
            return Err(Stop::Limit(format!("{} turns", self.limits.turns)));
        }
        if let Some(most) = self.limits.tokens.filter(|most| self.session.usage().total() >= *most) {
            return Err(Stop::Limit(format!("{most} tokens")));
        }
        self.turns += 1;
        let response = self.scope.ask(AGENT, &self.request).await.map_err(failure::stop)?;
        self.session.spend(response.usage);
        if response.decoded_lossily {
            self.session.note(format!("turn {}: what is no Unicode text was replaced by U+FFFD", self.turns));
        }
        Ok(response)
    }

    /// Whether there is time for another step.
    ///
    /// # Errors
    /// [`Stop::Limit`].
    pub(crate) fn check_time(&self) -> Result<(), Stop> {
        let passed = self.clock.monotonic().saturating_duration_since(self.started);
        match self.limits.wall_clock {
            Some(most) if passed >= most => Err(Stop::Limit(format!("{} s", most.as_secs_f64()))),
            _ => Ok(()),
        }
    }

    /// The model's turn was of use: what went wrong before it is forgotten.
    pub(crate) fn was_of_use(&mut self) {
        self.nudged = false;
    }

    /// Whether the model has been told already that its turn before was of no use.
    pub(crate) fn is_nudged(&self) -> bool {
        self.nudged
    }

    /// Puts a message into the conversation.
    pub(crate) fn push(&mut self, message: Message) {
        self.request.messages.push(message);
    }

    /// The model reads a text next.
    pub(crate) fn hear(&mut self, text: String) {
        self.push(Message::User { text, cache: true });
    }

    /// The model reads what the user said. A user who says nothing leaves the word to the world's news.
    pub(crate) fn hear_reply(&mut self, reply: String) {
        if !reply.trim().is_empty() {
            self.hear(reply);
        } else if !self.session.has_news() {
            self.hear(NOTHING.to_owned());
        }
    }

    /// The model reads what the world has announced.
    pub(crate) fn hear_news(&mut self) {
        let news = self.session.take_news();
        if !news.is_empty() {
            self.hear(format!("[Notification]\n{}", news.join("\n")));
        }
    }

    /// A turn in which the model said nothing, and was right to.
    pub(crate) fn push_silence(&mut self) {
        self.push(Message::assistant(NOTHING));
    }

    /// The model is told, once in a row, that its turn was of no use.
    pub(crate) fn tell(&mut self, words: &str) {
        self.nudged = true;
        self.hear(words.to_owned());
    }

    /// Asks again after a turn of which nothing can be made, once in a row; `words` say what to do
    /// instead, none when asking again is of no use. Nothing of such a turn goes back to the model:
    /// half an answer invites the other half.
    ///
    /// # Errors
    /// [`Stop::Unable`] when it is not asked again.
    pub(crate) fn nudge(&mut self, fault: Fault, words: Option<&str>) -> Result<(), Stop> {
        self.session.note(format!("turn {}: {}", self.turns, fault.what()));
        match words {
            Some(words) if !self.nudged => {
                self.push_silence();
                self.tell(words);
                Ok(())
            }
            Some(_) => Err(Stop::Unable(format!("{}, after it had been asked again", fault.what()))),
            None => Err(Stop::Unable(fault.what().to_owned())),
        }
    }
}

/// A result as the model sees it: whole, or its beginning with the cut marked.
pub(crate) fn shown(content: String, most: usize) -> String {
    match content.char_indices().nth(most) {
        None => content,
        Some((end, _)) => {
            let all = content.chars().count();
            let head = content.get(..end).unwrap_or_default();
            format!("{head}\n[cut off here: {most} of {all} characters are shown]")
        }
    }
}
