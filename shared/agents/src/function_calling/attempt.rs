//! One attempt in progress: ask, read the turn, act on it, until it ends.

use palaestra_domain::trajectory::Arguments;
use palaestra_environments::contract::{ActResult, UserPart};
use palaestra_models::{Message, ToolCall};

use super::advice::Advice;
use super::settings::FunctionCallingSettings;
use super::toolbox::{Proposal, Toolbox};
use super::turn::{Turn, instead};
use crate::conversation::{Conversation, Fault, shown};
use crate::guide::Guide;
use crate::session::Stop;

/// The state of one attempt.
pub(super) struct Attempt<'a, 'e> {
    pub(super) conversation: Conversation<'a, 'e>,
    pub(super) settings: FunctionCallingSettings,
    pub(super) guide: Option<&'a dyn Guide>,
    pub(super) toolbox: Toolbox,
    pub(super) user: UserPart,
}

impl Attempt<'_, '_> {
    /// Goes on until the final response, which is returned.
    ///
    /// # Errors
    /// [`Stop`] when there is none.
    pub(super) async fn run(mut self) -> Result<String, Stop> {
        self.conversation.hear_news();
        loop {
            let response = self.conversation.ask().await?;
            match Turn::of(response) {
                Turn::Calls { text, calls } => {
                    self.conversation.was_of_use();
                    if let Some(response) = self.carry_out(text, calls).await? {
                        return Ok(response);
                    }
                }
                Turn::Words(text) if self.user == UserPart::Absent => return Ok(text),
                Turn::Words(text) => {
                    self.conversation.was_of_use();
                    let reply = self.conversation.session.ask(&text).await?;
                    self.conversation.push(Message::assistant(text));
                    self.conversation.hear_reply(reply);
                }
                Turn::Unusable(Fault::Empty) if self.conversation.session.hears_silence() => {
                    let words = self.conversation.session.keep_silent().await?;
                    self.conversation.push_silence();
                    self.conversation.hear_reply(words);
                }
                Turn::Unusable(fault) => self.conversation.nudge(fault, instead(fault))?,
            }
            self.conversation.hear_news();
        }
    }

    /// Carries out the calls of a turn in their order; a final response ends it.
    async fn carry_out(&mut self, text: String, calls: Vec<ToolCall>) -> Result<Option<String>, Stop> {
        if !text.is_empty() {
            self.conversation.session.remark(&text).await?;
        }
        self.conversation.push(Message::Assistant { text, tool_calls: calls.clone() });
        let mut advice = Advice::new(self.guide);
        for call in calls {
            self.conversation.check_time()?;
            let session = &mut *self.conversation.session;
            let result = match self.toolbox.read(&call)? {
                Proposal::Finish(response) => return Ok(Some(response)),
                Proposal::Call(function, effect, arguments) => match advice.instead(&function, effect) {
                    None => session.call(&function, arguments).await?,
                    Some(words) => {
                        let arguments = Arguments::Object(arguments);
                        let held = session.refuse(&function, arguments, Some(effect), words)?;
                        // It is no mistake of the model's.
                        ActResult { error: false, ..held }
                    }
                },
                Proposal::Refused { function, arguments, offered, why } => {
                    session.refuse(&function, arguments, offered, why)?
                }
            };
            self.conversation.push(Message::ToolResult {
                call_id: call.id,
                text: shown(result.content, self.settings.most_result_chars),
                is_error: result.error,
                cache: true,
            });
        }
        Ok(None)
    }
}
