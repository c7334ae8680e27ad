//! The agent: a model with its settings, ready to attempt any task.

use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::{Digest, SourceId, Trajectory};
use palaestra_environments::Environment;
use palaestra_environments::contract::{Description, UserPart};
use palaestra_models::{ModelClient, ModelRef, ModelRequest, Prompts};
use palaestra_runtime::Clock;
use serde_json::json;

use super::attempt::Attempt;
use super::settings::FunctionCallingSettings;
use super::toolbox::Toolbox;
use crate::agent::{Agent, Assignment, attempt_name};
use crate::conversation::Conversation;
use crate::error::Error;
use crate::session::{Session, Stop};

/// Our prompts, one file each.
const PROMPTS: [(&str, &str); 2] =
    [("system", include_str!("prompts/system.md")), ("task", include_str!("prompts/task.md"))];

/// An agent with a language model that calls tools.
///
/// Its calls stand in the client's journal under `attempt/<task>/<source>/<trial>`, so the same
/// attempt made again finds its answers. Given the same answers, it leaves the same trajectory.
#[derive(Debug)]
pub struct FunctionCallingAgent {
    client: ModelClient,
    clock: Arc<dyn Clock>,
    settings: FunctionCallingSettings,
    model: ModelRef,
    source: SourceId,
    about: String,
    prompts: Prompts,
}

impl FunctionCallingAgent {
    /// An agent whose trajectories carry `source`. `model` must be among the client's models.
    ///
    /// # Errors
    /// [`Error::Prompt`] when a prompt is not valid.
    pub fn new(
        client: ModelClient,
        model: ModelRef,
        settings: FunctionCallingSettings,
        source: SourceId,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let about = format!("A function-calling agent with the model {model}.");
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
        let mut request = self.opening(assignment, &offer, &instruction)?;
        let user = offer.user;
        let (toolbox, tools) = Toolbox::new(offer.tools, user)?;
        request.tools = tools;
        let scope = attempt_name(assignment.task, &self.source, assignment.trial);
        let (scope, clock) = (self.client.scope(&scope), Arc::clone(&self.clock));
        let conversation = Conversation::new(session, assignment.limits, scope, request, clock);
        let (settings, guide) = (self.settings, assignment.guidance);
        Attempt { conversation, settings, guide, toolbox, user }.run().await
    }

    /// The first request without its tools, with what a memory says at the start.
    fn opening(
        &self,
        assignment: &Assignment<'_>,
        offer: &Description,
        instruction: &str,
    ) -> Result<ModelRequest, Error> {
        let ending = match offer.user {
            UserPart::Answers => "tool",
            UserPart::Leads => "user",
            UserPart::Absent => "words",
        };
        let system = json!({ "ending": ending, "rules": offer.rules });
        let system = self.prompts.render("system", &system).map_err(unusable)?;
        let guidance = assignment.guidance.and_then(|guide| guide.at_start(instruction));
        let task = json!({
            "guidance": guidance, "greeting": offer.greeting, "instruction": instruction,
        });
        let task = self.prompts.render("task", &task).map_err(unusable)?;
        let mut request =
            ModelRequest::new(self.model.clone(), system.trim_end(), task, self.settings.max_output_tokens);
        request.cache_system = true;
        request.temperature = self.settings.temperature;
        Ok(request)
    }
}

fn unusable(error: palaestra_models::Error) -> Error {
    Error::Prompt(Box::new(error))
}

#[async_trait]
impl Agent for FunctionCallingAgent {
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
