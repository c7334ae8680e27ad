//! The environment contract over a connection. It keeps the order of steps, so that no adapter has
//! to, and starts a new process at the next `reset` after one has failed.

use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::task::Split;
use palaestra_domain::tool::ToolSpec;
use palaestra_domain::{Digest, Task};
use serde::de::DeserializeOwned;

use super::asked::Asked;
use super::connection::Connection;
use super::message::{Acted, Begun, Described, Done, Hashed, Judged, Listed, Operation, RefusalKind, Said};
use super::pool::Pool;
use crate::contract::{Act, ActResult, Description, Environment, Verdict};
use crate::error::Error;

/// One attempt after another in environments of a pool.
pub struct WireEnvironment {
    pool: Arc<Pool>,
    asked: Arc<dyn Asked>,
    connection: Option<Connection>,
    phase: Phase,
    over: bool,
    silence: bool,
    verdict: Option<Verdict>,
    news: Vec<String>,
    notes: Vec<String>,
}

/// Where an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Running,
    Finished,
}

impl WireEnvironment {
    /// An environment whose questions are answered by `asked`. Nothing is started before it is
    /// needed.
    #[must_use]
    pub fn new(pool: Arc<Pool>, asked: Arc<dyn Asked>) -> Self {
        Self {
            pool,
            asked,
            connection: None,
            phase: Phase::Idle,
            over: false,
            silence: false,
            verdict: None,
            news: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The process that holds the attempt, where it has one on this machine.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.connection.as_ref().and_then(Connection::process_id)
    }

    /// Makes a request of the environment that is open, or of one that is opened for it.
    async fn request<T: DeserializeOwned>(&mut self, operation: &Operation<'_>) -> Result<T, Error> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.pool.take().await?,
        };
        let reply = connection.request(operation, self.asked.as_ref(), &mut self.notes).await;
        if connection.is_usable() {
            self.connection = Some(connection);
        } else {
            // The attempt is gone with its process.
            self.phase = Phase::Idle;
        }
        reply
    }

    fn need_running(&self, step: &'static str) -> Result<(), Error> {
        match self.phase {
            Phase::Running => Ok(()),
            Phase::Idle | Phase::Finished => Err(Error::OutOfStep { step, needed: "reset" }),
        }
    }

    fn need_attempt(&self, step: &'static str) -> Result<(), Error> {
        if self.phase == Phase::Idle { Err(Error::OutOfStep { step, needed: "reset" }) } else { Ok(()) }
    }

    fn forget(&mut self) {
        self.phase = Phase::Idle;
        self.over = false;
        self.silence = false;
        self.verdict = None;
        self.news.clear();
    }
}

#[async_trait]
impl Environment for WireEnvironment {
    async fn describe(&mut self) -> Result<Description, Error> {
        let described: Described = self.request(&Operation::Describe).await?;
        let tools = described.tools.into_iter().map(|tool| ToolSpec {
            name: tool.name,
            description: tool.description,
            parameters: tool.parameters,
            effect: tool.effect,
        });
        Ok(Description {
            name: self.pool.name(),
            data_version: described.data_version,
            tools: tools.collect(),
            rules: described.rules,
            greeting: described.greeting,
            user: described.user,
            cell: described.cell,
        })
    }

    async fn tasks(&mut self, split: Split, instances: u32, seed: u64) -> Result<Vec<Task>, Error> {
        let listed: Listed = self.request(&Operation::Tasks { split, instances, seed }).await?;
        let tasks = listed.tasks.into_iter().map(|task| Task {
            id: task.id,
            scenario: task.scenario,
            ability: task.ability,
            instruction: task.instruction,
        });
        Ok(tasks.collect())
    }

    async fn reset(&mut self, task: &Task, seed: u64) -> Result<String, Error> {
        self.forget();
        let reset = Operation::Reset { task: task.id.as_str(), seed };
        match self.request::<Begun>(&reset).await {
            Ok(begun) => {
                self.phase = Phase::Running;
                self.over = begun.over;
                self.silence = begun.silence;
                self.news = begun.news;
                Ok(begun.instruction)
            }
            Err(Error::Refused { environment, kind: RefusalKind::UnknownTask, .. }) => {
                Err(Error::UnknownTask { environment, task: task.id.clone() })
            }
            Err(error) => Err(error),
        }
    }

    async fn act(&mut self, act: &Act) -> Result<ActResult, Error> {
        self.need_attempt("act")?;
        let operation = Operation::Act { act: &act.id, function: &act.function, arguments: &act.arguments };
        let acted: Acted = self.request(&operation).await?;
        self.over = acted.over;
        self.news.extend(acted.news);
        Ok(ActResult { content: acted.content, error: acted.error, calls: acted.calls })
    }

    async fn say(&mut self, text: &str) -> Result<String, Error> {
        self.need_running("say anything")?;
        if self.over {
            return Err(Error::OutOfStep { step: "say anything once the attempt is over", needed: "reset" });
        }
        let said: Said = self.request(&Operation::Say { text }).await?;
        self.over = said.over;
        self.news.extend(said.news);
        Ok(said.text)
    }

    async fn remark(&mut self, text: &str) -> Result<(), Error> {
        self.need_running("remark anything")?;
        self.request::<Done>(&Operation::Remark { text }).await.map(|Done {}| ())
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn hears_silence(&self) -> bool {
        self.silence
    }

    fn take_news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    async fn state_hash(&mut self) -> Result<Digest, Error> {
        self.need_attempt("hash the state")?;
        self.request::<Hashed>(&Operation::Hash).await.map(|hashed| hashed.hash)
    }

    async fn finish(&mut self, final_response: &str) -> Result<(), Error> {
        self.need_running("finish")?;
        let Done {} = self.request(&Operation::Finish { text: final_response }).await?;
        self.phase = Phase::Finished;
        Ok(())
    }

    async fn verify(&mut self) -> Result<Verdict, Error> {
        if self.phase != Phase::Finished {
            return Err(Error::OutOfStep { step: "verify", needed: "finish" });
        }
        if let Some(verdict) = &self.verdict {
            return Ok(verdict.clone());
        }
        let judged: Judged = self.request(&Operation::Verify).await?;
        let verdict = Verdict { passed: judged.passed, reward: judged.reward, feedback: judged.feedback };
        Ok(self.verdict.insert(verdict).clone())
    }

    async fn close(&mut self) -> Result<(), Error> {
        self.forget();
        if self.connection.is_none() {
            return Ok(());
        }
        let Done {} = self.request(&Operation::Close).await?;
        if let Some(connection) = self.connection.take() {
            self.pool.give_back(connection);
        }
        Ok(())
    }
}

impl Drop for WireEnvironment {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.give_back(connection);
        }
    }
}
