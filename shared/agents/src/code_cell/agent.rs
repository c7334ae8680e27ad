//! The agent: a model with its settings, ready to attempt any task of an environment that executes
//! code.

use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::{Digest, SourceId, Trajectory};
use palaestra_environments::Environment;
use palaestra_environments::contract::Description;
use palaestra_models::{ModelClient, ModelRef, ModelRequest, Prompts};
use palaestra_runtime::Clock;
use serde_json::json;

use super::attempt::Attempt;
use super::settings::CodeCellSettings;
use crate::agent::{Agent, Assignment, attempt_name};
use crate::conversation::Conversation;
use crate::error::Error;
use crate::session::{Session, Stop};

/// Our prompts, one file each.
const PROMPTS: [(&str, &str); 2] =
    [("system", include_str!("prompts/system.md")), ("task", include_str!("prompts/task.md"))];

/// An agent with a language model that writes code.
///
/// Its calls stand in the client's journal under the attempt's name, so the same attempt made again
/// finds its answers. Given the same answers, it leaves the same trajectory.
#[derive(Debug)]
pub struct CodeCellAgent {
    client: ModelClient,
    clock: Arc<dyn Clock>,
    settings: CodeCellSettings,
    model: ModelRef,
    source: SourceId,
    about: String,
    prompts: Prompts,
}

impl CodeCellAgent {
    /// An agent whose trajectories carry `source`. `model` must be among the client's models.
    ///
    /// # Errors
    /// [`Error::Prompt`] when a prompt is not valid.
    pub fn new(
        client: ModelClient,
        model: ModelRef,
        settings: CodeCellSettings,
        source: SourceId,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let about = format!("An agent that writes Python code with the model {model}.");
        let prompts = Prompts::new(&PROMPTS).map_err(unusable)?;
        Ok(Self { client, clock, settings, model, source, about, prompts })
    }

    /// The content address of the prompts, for a run's identity.
    ///
    /// # Errors
    /// [`Error::Prompt`] when a prompt is not valid.
    pub fn prompts_digest() -> Result<Digest, Error> {
        Ok(Prompts::new(&PROMPTS).map_err(unusable)?.digest())
    }

    async fn work(&self, session: &mut Session<'_>, assignment: &Assignment<'_>) -> Result<String, Stop> {
        let (offer, instruction) = session.begin().await?;
        let Some(cell) = offer.cell.clone() else {
            return Err(Stop::Unable(format!("environment {} executes no code", offer.name)));
        };
        let request = self.opening(assignment, &offer, &instruction)?;
        let scope = attempt_name(assignment.task, &self.source, assignment.trial);
        let (scope, clock) = (self.client.scope(&scope), Arc::clone(&self.clock));
        let conversation = Conversation::new(session, assignment.limits, scope, request, clock);
        Attempt { conversation, settings: self.settings, cell }.run().await
    }

    /// The first request. Guidance enters here and nowhere else: once, before the task.
    fn opening(
        &self,
        assignment: &Assignment<'_>,
        offer: &Description,
        instruction: &str,
    ) -> Result<ModelRequest, Error> {
        let system = self.prompts.render("system", &json!({ "rules": offer.rules })).map_err(unusable)?;
        let guidance = assignment.guidance.and_then(|guide| guide.at_start(instruction));
        let task = json!({ "guidance": guidance, "instruction": instruction });
        let task = self.prompts.render("task", &task).map_err(unusable)?;
        let most = self.settings.max_output_tokens;
        let mut request = ModelRequest::new(self.model.clone(), system.trim_end(), task, most);
        request.cache_system = true;
        request.temperature = self.settings.temperature;
        Ok(request)
    }
}

fn unusable(error: palaestra_models::Error) -> Error {
    Error::Prompt(Box::new(error))
}

#[async_trait]
impl Agent for CodeCellAgent {
    fn source(&self) -> &SourceId {
        &self.source
    }

    fn describe(&self) -> &str {
        &self.about
    }

    async fn attempt(&self, environment: &mut dyn Environment, assignment: &Assignment<'_>) -> Trajectory {
        let mut session = Session::new(environment, assignment);
        let end = self.work(&mut session, assignment).await;
        session.end(self.source.clone(), end).await
    }
}
