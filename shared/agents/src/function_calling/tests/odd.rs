//! A workshop with odd ways.

use async_trait::async_trait;
use palaestra_domain::task::Split;
use palaestra_domain::{Digest, Task};
use palaestra_environments::contract::{Act, ActResult, Description, InnerCall, UserPart, Verdict};
use palaestra_environments::workshop::Workshop;
use palaestra_environments::{Environment, Error};

/// Which odd way it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It dies at the first call.
    Dies,
    /// The attempt is over after the first call.
    Stops,
    /// The user leaves after the first words.
    Leaves,
    /// There is no user.
    Alone,
    /// Each step brings news, and a call is made by code.
    Announces,
    /// Silence lets time pass, which brings news.
    Waits,
}

/// The workshop, with rules and a greeting of its own.
pub(super) struct Odd {
    world: Workshop,
    way: Way,
    /// Words that nobody answered.
    pub(super) heard: Vec<String>,
    over: bool,
    steps: usize,
}

impl Odd {
    pub(super) fn new(way: Way) -> Self {
        Self { world: Workshop::default(), way, heard: Vec::new(), over: false, steps: 0 }
    }
}

#[async_trait]
impl Environment for Odd {
    async fn describe(&mut self) -> Result<Description, Error> {
        let mut description = self.world.describe().await?;
        description.rules = Some("Be polite.".to_owned());
        description.greeting = Some("How can I help?".to_owned());
        description.user = match self.way {
            Way::Leaves => UserPart::Leads,
            Way::Alone => UserPart::Absent,
            Way::Dies | Way::Stops | Way::Announces | Way::Waits => UserPart::Answers,
        };
        Ok(description)
    }

    async fn tasks(&mut self, split: Split, instances: u32, seed: u64) -> Result<Vec<Task>, Error> {
        self.world.tasks(split, instances, seed).await
    }

    async fn reset(&mut self, task: &Task, seed: u64) -> Result<String, Error> {
        self.world.reset(task, seed).await
    }

    async fn act(&mut self, act: &Act) -> Result<ActResult, Error> {
        if self.way == Way::Dies {
            self.world.close().await?;
        }
        self.over = self.way == Way::Stops;
        self.steps += 1;
        let mut result = self.world.act(act).await?;
        if self.way == Way::Announces {
            let (function, arguments) = ("files.read_file".to_owned(), act.arguments.clone());
            result.calls.push(InnerCall { function, arguments, content: "7".to_owned(), error: false });
        }
        Ok(result)
    }

    async fn say(&mut self, text: &str) -> Result<String, Error> {
        self.over = self.way == Way::Leaves;
        self.steps += 1;
        if self.way == Way::Waits && text.is_empty() {
            return Ok(String::new());
        }
        self.world.say(text).await
    }

    async fn remark(&mut self, text: &str) -> Result<(), Error> {
        self.heard.push(text.to_owned());
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn take_news(&mut self) -> Vec<String> {
        let announces = self.way == Way::Announces || (self.way == Way::Waits && self.steps > 0);
        if announces { vec![format!("news {}", self.steps)] } else { Vec::new() }
    }

    fn hears_silence(&self) -> bool {
        self.way == Way::Waits
    }

    fn take_notes(&mut self) -> Vec<String> {
        vec!["a note of the world's".to_owned()]
    }

    async fn state_hash(&mut self) -> Result<Digest, Error> {
        self.world.state_hash().await
    }

    async fn finish(&mut self, final_response: &str) -> Result<(), Error> {
        self.world.finish(final_response).await
    }

    async fn verify(&mut self) -> Result<Verdict, Error> {
        self.world.verify().await
    }

    async fn close(&mut self) -> Result<(), Error> {
        self.world.close().await
    }
}
