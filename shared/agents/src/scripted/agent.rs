//! A scripted agent: takes a task's published plan and carries it out with its habits.

use async_trait::async_trait;
use palaestra_domain::{SourceId, Trajectory};
use palaestra_environments::Environment;
use palaestra_environments::workshop::intent;

use super::habits::Habits;
use super::runner::{Halt, Runner};
use crate::agent::{Agent, Assignment};
use crate::session::{Session, Stop};

/// An agent that is a program. Guidance is for agents with a model; this one does not read it.
#[derive(Debug, Clone)]
pub struct ScriptedAgent {
    source: SourceId,
    about: &'static str,
    habits: Habits,
}

impl ScriptedAgent {
    /// An agent of that name with those habits.
    #[must_use]
    pub fn new(source: SourceId, about: &'static str, habits: Habits) -> Self {
        Self { source, about, habits }
    }

    async fn work(&self, session: &mut Session<'_>, assignment: &Assignment<'_>) -> Result<String, Stop> {
        session.begin().await?;
        let plan = intent(&assignment.task.id, assignment.seed).ok_or_else(|| {
            Stop::Unable(format!(
                "scripted agents follow the workshop's plans, and {} has none",
                assignment.task.id
            ))
        })?;
        let mut runner = Runner::new(session, self.habits);
        match runner.run(&plan).await {
            Ok(()) => Ok(runner.response()),
            Err(Halt::GaveUp(why)) => Ok(format!("I could not finish this: {why}")),
            Err(Halt::Stop(stop)) => Err(stop),
        }
    }
}

#[async_trait]
impl Agent for ScriptedAgent {
    fn source(&self) -> &SourceId {
        &self.source
    }

    fn describe(&self) -> &str {
        self.about
    }

    async fn attempt(&self, environment: &mut dyn Environment, assignment: &Assignment<'_>) -> Trajectory {
        let mut session = Session::new(environment, assignment);
        let end = self.work(&mut session, assignment).await;
        session.end(self.source.clone(), end).await
    }
}
