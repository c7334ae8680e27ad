//! An environment that answers from a conversation instead of acting, up to the agent's first step
//! beyond it.

use std::collections::VecDeque;

use async_trait::async_trait;
use palaestra_domain::task::Split;
use palaestra_domain::{Digest, Task};
use palaestra_environments::contract::{Act, ActResult, Description, Verdict};
use palaestra_environments::{Environment, Error as WorldError};
use serde_json::Value;

use super::deed::{Deed, Taken};
use crate::error::Error;

/// What an agent is stopped with once it has taken its next step: there is no result yet.
const NO_RESULT_YET: WorldError =
    WorldError::OutOfStep { step: "go on", needed: "the conversation has gone on" };

/// The conversation as an environment.
#[derive(Debug)]
pub(super) struct Replay {
    description: Description,
    past: VecDeque<Taken>,
    replayed: usize,
    next: Option<Result<Deed, Error>>,
}

impl Replay {
    /// An environment of these tools in which all this has happened.
    pub(super) fn new(description: Description, past: VecDeque<Taken>) -> Self {
        Self { description, past, replayed: 0, next: None }
    }

    /// The agent's first step beyond the conversation; none when it took none.
    ///
    /// # Errors
    /// [`Error::Diverged`] when the agent did something else on the way.
    pub(super) fn into_next(self) -> Result<Option<Deed>, Error> {
        self.next.transpose()
    }

    /// The result of a step, while the conversation holds it.
    fn step(&mut self, deed: Deed) -> Result<String, WorldError> {
        if self.next.is_some() {
            return Err(NO_RESULT_YET);
        }
        self.replayed += 1;
        match self.past.pop_front() {
            Some(taken) if taken.deed == deed => return Ok(taken.result),
            Some(taken) => {
                let (expected, found) = (deed.to_string(), taken.deed.to_string());
                self.next = Some(Err(Error::Diverged { step: self.replayed, expected, found }));
            }
            None => self.next = Some(Ok(deed)),
        }
        Err(NO_RESULT_YET)
    }
}

#[async_trait]
impl Environment for Replay {
    async fn describe(&mut self) -> Result<Description, WorldError> {
        Ok(self.description.clone())
    }

    async fn tasks(&mut self, _: Split, _: u32, _: u64) -> Result<Vec<Task>, WorldError> {
        Ok(Vec::new())
    }

    async fn reset(&mut self, task: &Task, _: u64) -> Result<String, WorldError> {
        Ok(task.instruction.clone())
    }

    async fn act(&mut self, act: &Act) -> Result<ActResult, WorldError> {
        let deed = Deed::Call { function: act.function.clone(), arguments: act.arguments.clone() };
        let content = self.step(deed)?;
        // The contract: JSON for a success, a sentence for an error. The wire has no other mark.
        let error = serde_json::from_str::<Value>(&content).is_err();
        Ok(ActResult::of_call(content, error))
    }

    async fn say(&mut self, text: &str) -> Result<String, WorldError> {
        self.step(Deed::Say(text.to_owned()))
    }

    async fn state_hash(&mut self) -> Result<Digest, WorldError> {
        Err(NO_RESULT_YET)
    }

    async fn finish(&mut self, final_response: &str) -> Result<(), WorldError> {
        self.step(Deed::Finish(final_response.to_owned())).map(drop)
    }

    async fn verify(&mut self) -> Result<Verdict, WorldError> {
        Err(NO_RESULT_YET)
    }

    async fn close(&mut self) -> Result<(), WorldError> {
        Ok(())
    }
}
