//! One attempt in progress: ask, read the turn, run its cell, until it ends.

use std::time::Instant;

use palaestra_domain::FunctionName;
use palaestra_models::{CallScope, Message, ModelRequest, ModelResponse};

use super::agent::CodeCellAgent;
use super::reply::{Fault, Reply};
use crate::failure;
use crate::function_calling::{AGENT, shown};
use crate::limits::Limits;
use crate::session::{Session, Stop};

/// What stands in the conversation for a turn without words: services refuse an empty one.
const NOTHING: &str = "(nothing)";

/// What a turn without code is answered, once in a row.
const NO_CODE: &str = "There was no block of Python code in your last turn, and nobody answers words. Write one block. \
                       If the task is done, complete it by code, as the rules say.";

/// The state of one attempt. The request is the conversation so far.
pub(super) struct Attempt<'a, 'e> {
    agent: &'a CodeCellAgent,
    session: &'a mut Session<'e>,
    limits: Limits,
    scope: CallScope,
    cell: FunctionName,
    request: ModelRequest,
    started: Instant,
    turns: usize,
    /// The last turn had no cell, and the model has been told so.
    nudged: bool,
}

impl<'a, 'e> Attempt<'a, 'e> {
    pub(super) fn new(
        agent: &'a CodeCellAgent,
        session: &'a mut Session<'e>,
        limits: Limits,
        scope: CallScope,
        cell: FunctionName,
        request: ModelRequest,
    ) -> Self {
        let started = agent.clock.monotonic();
        Self { agent, session, limits, scope, cell, request, started, turns: 0, nudged: false }
    }

    /// Goes on until the environment ends the attempt, or until words that are returned.
    ///
    /// # Errors
    /// [`Stop`], with [`Stop::Over`] for the usual end.
    pub(super) async fn run(mut self) -> Result<String, Stop> {
        loop {
            let response = self.ask().await?;
            match Reply::of(response) {
                Reply::Cell { text, code } => {
                    self.nudged = false;
                    self.execute(text, &code).await?;
                }
                Reply::Words(text) if self.nudged => return Ok(text),
                Reply::Words(text) => {
                    self.nudged = true;
                    self.session.remark(&text).await?;
                    self.request.messages.push(Message::assistant(text));
                    self.hear(NO_CODE.to_owned());
                }
                Reply::Unusable(fault) => self.nudge(fault)?,
            }
        }
    }

    /// One model call within the limits.
    async fn ask(&mut self) -> Result<ModelResponse, Stop> {
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

    /// Runs a cell and shows the model its output. Nothing behind the cell goes back to the model.
    async fn execute(&mut self, text: String, code: &str) -> Result<(), Stop> {
        self.check_time()?;
        let cell = self.cell.clone();
        let result = self.session.run_cell(&cell, code).await?;
        self.request.messages.push(Message::assistant(text));
        let output = shown(result.content, self.agent.settings.most_output_chars);
        let news: String =
            self.session.take_news().iter().map(|news| format!("\n[Notification]\n{news}")).collect();
        self.hear(format!("Output:\n```\n{}\n```{news}", output.trim_end()));
        Ok(())
    }

    /// Asks again after an unusable turn, once in a row. Nothing of such a turn goes back to the
    /// model: half an answer invites the other half.
    fn nudge(&mut self, fault: Fault) -> Result<(), Stop> {
        self.session.note(format!("turn {}: {}", self.turns, fault.what()));
        match fault.nudge() {
            Some(words) if !self.nudged => {
                self.nudged = true;
                self.request.messages.push(Message::assistant(NOTHING));
                self.hear(words.to_owned());
                Ok(())
            }
            Some(_) => Err(Stop::Unable(format!("{}, after it had been asked again", fault.what()))),
            None => Err(Stop::Unable(fault.what().to_owned())),
        }
    }

    fn hear(&mut self, text: String) {
        self.request.messages.push(Message::User { text, cache: true });
    }

    fn check_time(&self) -> Result<(), Stop> {
        let passed = self.agent.clock.monotonic().saturating_duration_since(self.started);
        match self.limits.wall_clock {
            Some(most) if passed >= most => Err(Stop::Limit(format!("{} s", most.as_secs_f64()))),
            _ => Ok(()),
        }
    }
}
