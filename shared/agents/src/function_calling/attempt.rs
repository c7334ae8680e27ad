//! One attempt in progress: ask, read the turn, act on it, until it ends.

use std::time::Instant;

use palaestra_domain::trajectory::Arguments;
use palaestra_environments::contract::{ActResult, UserPart};
use palaestra_models::{CallScope, Message, ModelRequest, ModelResponse, ToolCall};

use super::advice::Advice;
use super::agent::{AGENT, FunctionCallingAgent};
use super::toolbox::{Proposal, Toolbox};
use super::turn::{Fault, Turn};
use crate::agent::Assignment;
use crate::failure;
use crate::guide::Guide;
use crate::limits::Limits;
use crate::session::{Session, Stop};

/// What stands in the conversation for a turn without words: services refuse an empty one.
const NOTHING: &str = "(nothing)";

/// The state of one attempt. The request is the conversation so far.
pub(super) struct Attempt<'a, 'e> {
    agent: &'a FunctionCallingAgent,
    session: &'a mut Session<'e>,
    limits: Limits,
    guide: Option<&'a dyn Guide>,
    scope: CallScope,
    toolbox: Toolbox,
    user: UserPart,
    request: ModelRequest,
    started: Instant,
    turns: usize,
    /// The last turn was unusable, and the model has been told so.
    nudged: bool,
}

impl<'a, 'e> Attempt<'a, 'e> {
    pub(super) fn new(
        agent: &'a FunctionCallingAgent,
        session: &'a mut Session<'e>,
        assignment: &Assignment<'a>,
        scope: CallScope,
        (toolbox, user): (Toolbox, UserPart),
        request: ModelRequest,
    ) -> Self {
        let started = agent.clock.monotonic();
        let (limits, guide) = (assignment.limits, assignment.guidance);
        let (turns, nudged) = (0, false);
        Self { agent, session, limits, guide, scope, toolbox, user, request, started, turns, nudged }
    }

    /// Goes on until the final response, which is returned.
    ///
    /// # Errors
    /// [`Stop`] when there is none.
    pub(super) async fn run(mut self) -> Result<String, Stop> {
        self.tell_news();
        loop {
            let response = self.ask().await?;
            match Turn::of(response) {
                Turn::Calls { text, calls } => {
                    self.nudged = false;
                    if let Some(response) = self.carry_out(text, calls).await? {
                        return Ok(response);
                    }
                }
                Turn::Words(text) if self.user == UserPart::Absent => return Ok(text),
                Turn::Words(text) => {
                    self.nudged = false;
                    let reply = self.session.ask(&text).await?;
                    self.request.messages.push(Message::assistant(text));
                    self.hear_reply(reply);
                }
                Turn::Unusable(Fault::Empty) if self.session.hears_silence() => {
                    let words = self.session.keep_silent().await?;
                    self.request.messages.push(Message::assistant(NOTHING));
                    self.hear_reply(words);
                }
                Turn::Unusable(fault) => self.nudge(fault)?,
            }
            self.tell_news();
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

    /// Carries out the calls of a turn in their order; a final response ends it.
    async fn carry_out(&mut self, text: String, calls: Vec<ToolCall>) -> Result<Option<String>, Stop> {
        if !text.is_empty() {
            self.session.remark(&text).await?;
        }
        self.request.messages.push(Message::Assistant { text, tool_calls: calls.clone() });
        let mut advice = Advice::new(self.guide);
        for call in calls {
            self.check_time()?;
            let result = match self.toolbox.read(&call)? {
                Proposal::Finish(response) => return Ok(Some(response)),
                Proposal::Call(function, effect, arguments) => match advice.instead(&function, effect) {
                    None => self.session.call(&function, arguments).await?,
                    Some(words) => {
                        let arguments = Arguments::Object(arguments);
                        let held = self.session.refuse(&function, arguments, Some(effect), words)?;
                        // It is no mistake of the model's.
                        ActResult { error: false, ..held }
                    }
                },
                Proposal::Refused { function, arguments, offered, why } => {
                    self.session.refuse(&function, arguments, offered, why)?
                }
            };
            self.request.messages.push(Message::ToolResult {
                call_id: call.id,
                text: shown(result.content, self.agent.settings.most_result_chars),
                is_error: result.error,
                cache: true,
            });
        }
        Ok(None)
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

    /// Puts what the world has announced into the conversation, where the model reads it next.
    fn tell_news(&mut self) {
        let news = self.session.take_news();
        if !news.is_empty() {
            self.hear(format!("[Notification]\n{}", news.join("\n")));
        }
    }

    /// A user who says nothing leaves the word to the world's news; services refuse an empty message.
    fn hear_reply(&mut self, reply: String) {
        if !reply.trim().is_empty() {
            self.hear(reply);
        } else if !self.session.has_news() {
            self.hear(NOTHING.to_owned());
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
