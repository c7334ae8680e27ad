//! The model's answers to what an environment asks back during one attempt: the simulated user's next
//! words, a judge's verdicts. They pass the same journal, budget and limits as every other call.

use async_trait::async_trait;
use palaestra_environments::wire::{AskBack, AskError, AskMessage, AskRole, Asked, Purpose};
use palaestra_models::{CallScope, Message, ModelClient, ModelRef, ModelRequest, Role};
use tokio::sync::Mutex;

use crate::failure;

/// The ledger's name for who plays the user.
pub const USER_SIMULATOR: Role = Role::new("user_simulator");

/// The ledger's name for an environment's judge.
pub const ENVIRONMENT_JUDGE: Role = Role::new("environment_judge");

/// The longest answer in tokens, reasoning included.
const MOST_OUTPUT_TOKENS: u32 = 4_096;

/// Who speaks for the user and for the judge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speakers {
    /// The model that plays the user.
    pub user: Option<ModelRef>,
    /// The model that judges.
    pub judge: Option<ModelRef>,
}

/// Answers the questions of one attempt. The same attempt made again finds its answers.
#[derive(Debug)]
pub struct ModelAnswers {
    speakers: Speakers,
    scope: Mutex<CallScope>,
}

impl ModelAnswers {
    /// Answers for the attempt of this name; its calls stand in the journal under `<attempt>/environment`.
    #[must_use]
    pub fn new(client: &ModelClient, attempt: &str, speakers: Speakers) -> Self {
        Self { speakers, scope: Mutex::new(client.scope(&format!("{attempt}/environment"))) }
    }

    fn request(&self, question: AskBack) -> Result<(Role, ModelRequest), AskError> {
        let (role, model) = match question.purpose {
            Purpose::User => (USER_SIMULATOR, &self.speakers.user),
            Purpose::Judge => (ENVIRONMENT_JUDGE, &self.speakers.judge),
        };
        let purpose = question.purpose;
        let unnamed = || failure::infrastructure(format!("no model was named that speaks for the {purpose}"));
        let model = model.clone().ok_or_else(unnamed)?;
        let (system, talk): (Vec<_>, Vec<_>) =
            question.messages.into_iter().partition(|message| message.role == AskRole::System);
        let system: Vec<String> = system.into_iter().map(|message| message.content).collect();
        let mut request = ModelRequest::new(model, system.join("\n\n"), String::new(), MOST_OUTPUT_TOKENS);
        request.cache_system = true;
        request.messages = talk.into_iter().map(said).collect();
        Ok((role, request))
    }
}

#[async_trait]
impl Asked for ModelAnswers {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        let (role, request) = self.request(question)?;
        // One question at a time: its number is its name in the journal.
        let response = self.scope.lock().await.ask(role, &request).await.map_err(failure::unanswered)?;
        Ok(response.text)
    }
}

fn said(message: AskMessage) -> Message {
    match message.role {
        AskRole::Assistant => Message::assistant(message.content),
        AskRole::System | AskRole::User => Message::user(message.content),
    }
}
