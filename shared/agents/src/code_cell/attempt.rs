//! One attempt in progress: ask, read the turn, run its cell, until it ends.

use palaestra_domain::FunctionName;
use palaestra_models::Message;

use super::reply::{Reply, instead};
use super::settings::CodeCellSettings;
use crate::conversation::{Conversation, shown};
use crate::session::Stop;

/// What a turn without code is answered, once in a row.
const NO_CODE: &str = "There was no block of Python code in your last turn, and nobody answers words. Write one block. \
                       If the task is done, complete it by code, as the rules say.";

/// The state of one attempt.
pub(super) struct Attempt<'a, 'e> {
    pub(super) conversation: Conversation<'a, 'e>,
    pub(super) settings: CodeCellSettings,
    pub(super) cell: FunctionName,
}

impl Attempt<'_, '_> {
    /// Goes on until the environment ends the attempt, or until words that are returned.
    ///
    /// # Errors
    /// [`Stop`], with [`Stop::Over`] for the usual end.
    pub(super) async fn run(mut self) -> Result<String, Stop> {
        self.conversation.hear_news();
        loop {
            let response = self.conversation.ask().await?;
            match Reply::of(response) {
                Reply::Cell { text, code } => {
                    self.conversation.was_of_use();
                    self.execute(text, &code).await?;
                }
                Reply::Words(text) if self.conversation.is_nudged() => return Ok(text),
                Reply::Words(text) => {
                    self.conversation.session.remark(&text).await?;
                    self.conversation.push(Message::assistant(text));
                    self.conversation.tell(NO_CODE);
                }
                Reply::Unusable(fault) => self.conversation.nudge(fault, instead(fault))?,
            }
            self.conversation.hear_news();
        }
    }

    /// Runs a cell and shows the model its output. Nothing behind the cell goes back to the model.
    async fn execute(&mut self, text: String, code: &str) -> Result<(), Stop> {
        self.conversation.check_time()?;
        let result = self.conversation.session.run_cell(&self.cell, code).await?;
        self.conversation.push(Message::assistant(text));
        let output = shown(result.content, self.settings.most_output_chars);
        self.conversation.hear(format!("Output:\n```\n{}\n```", output.trim_end()));
        Ok(())
    }
}
