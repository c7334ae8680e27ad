//! The tasks, and how one is recognised by what stands in a conversation.

use super::data::{Action, TaskEntry};
use crate::error::Error;

/// One task.
#[derive(Debug)]
pub(super) struct Case {
    /// The user's first words. They carry the whole request, so that the agent recognises it.
    pub(super) opening: String,
    /// The calls of the reference, in their order.
    pub(super) reference: Vec<Action>,
    /// What the agent has to tell the user.
    pub(super) told: Vec<String>,
    /// Parts of the user's instructions, all of which stand in the prompt of the simulated user.
    marks: [String; 3],
}

impl Case {
    fn new(entry: TaskEntry) -> Self {
        let said = entry.user_scenario.instructions;
        let (reason, known) =
            (one_line(&said.reason_for_call), one_line(&said.known_info.unwrap_or_default()));
        let opening = format!("Hello. {reason} {known}").trim_end().to_owned();
        let criteria = entry.evaluation_criteria;
        Self {
            opening,
            reference: criteria.actions.unwrap_or_default(),
            told: criteria.communicate_info.unwrap_or_default(),
            marks: [reason, known, one_line(&said.task_instructions)],
        }
    }

    fn weight(&self) -> usize {
        self.marks.iter().map(String::len).sum()
    }
}

/// All tasks of the domain.
#[derive(Debug)]
pub(super) struct Cases(Vec<Case>);

impl Cases {
    /// The cases of these tasks.
    pub(super) fn new(entries: Vec<TaskEntry>) -> Self {
        Self(entries.into_iter().map(Case::new).collect())
    }

    /// The case whose opening words stand in the first words of a conversation with the agent; the
    /// longest, should several do.
    ///
    /// # Errors
    /// [`Error::UnknownCase`].
    pub(super) fn told_to_agent(&self, words: &str) -> Result<&Case, Error> {
        let known = self.0.iter().filter(|case| words.contains(&case.opening));
        known.max_by_key(|case| case.opening.len()).ok_or(Error::UnknownCase)
    }

    /// The case whose instructions stand in the prompt of the simulated user.
    ///
    /// # Errors
    /// [`Error::UnknownCase`].
    pub(super) fn told_to_customer(&self, prompt: &str) -> Result<&Case, Error> {
        let prompt = one_line(prompt);
        let known = self.0.iter().filter(|case| case.marks.iter().all(|mark| prompt.contains(mark)));
        known.max_by_key(|case| case.weight()).ok_or(Error::UnknownCase)
    }
}

/// A text with its white space made even: the benchmark indents what it quotes.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
