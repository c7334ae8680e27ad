//! The agents that can be asked and the tasks that they know.

use palaestra_agents::catalogue::{SCRIPTED, scripted};
use palaestra_agents::function_calling::FINISH;
use palaestra_agents::{Assignment, Limits};
use palaestra_domain::Task;
use palaestra_domain::task::Split;
use palaestra_environments::Environment as _;
use palaestra_environments::workshop::{Workshop, tasks};
use serde_json::json;

use super::conversation::taken;
use super::deed::Deed;
use super::names::{Names, wire};
use super::replay::Replay;
use crate::chat::ChatRequest;
use crate::error::Error;
use crate::reply::Reply;

/// The workshop's scripted agents at the tasks of one listing.
#[derive(Debug)]
pub(crate) struct Cast {
    tasks: Vec<Task>,
    seed: u64,
}

impl Cast {
    /// The cast for both sides of the split.
    ///
    /// # Errors
    /// [`Error::Workshop`].
    pub(crate) fn new(instances: u32, seed: u64) -> Result<Self, Error> {
        let mut all = tasks(Split::Reference, instances, seed)?;
        all.extend(tasks(Split::HeldOut, instances, seed)?);
        Ok(Self { tasks: all, seed })
    }

    /// The next step of the agent that is asked.
    ///
    /// # Errors
    /// What is wrong with the request.
    pub(crate) async fn answer(&self, request: &ChatRequest) -> Result<Reply, Error> {
        let agent = scripted(full_name(&request.model)?)?;
        let task = self.task(request.first_words().unwrap_or_default())?;
        let description = Workshop::default().describe().await?;
        let past = taken(&request.messages, &Names::of(&description.tools))?;
        let step = past.len();
        let mut world = Replay::new(description, past);
        // The limits are the caller's to keep.
        let limits = Limits { actions: usize::MAX, ..Limits::default() };
        let assignment = Assignment { task, seed: self.seed, trial: 0, guidance: None, limits };
        let attempt = agent.attempt(&mut world, &assignment).await;
        match world.into_next()? {
            Some(deed) => reply(request, step, deed),
            None => Err(Error::NoStep(format!("{:?}", attempt.outcome))),
        }
    }

    /// The task whose instruction stands in a text; the longest one, should several do.
    fn task(&self, text: &str) -> Result<&Task, Error> {
        let known = self.tasks.iter().filter(|task| text.contains(&task.instruction));
        known.max_by_key(|task| task.instruction.len()).ok_or(Error::UnknownTask)
    }
}

/// The catalogue's name of an agent that is called by its short one.
fn full_name(model: &str) -> Result<&'static str, Error> {
    let short = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
    let entry = SCRIPTED.iter().find(|entry| short(entry.name) == model);
    entry.map(|entry| entry.name).ok_or_else(|| {
        let names = SCRIPTED.iter().map(|entry| short(entry.name)).chain([crate::constructor::MODEL]);
        let (known, more) = (names.collect::<Vec<_>>().join(", "), crate::tau2::MODELS.join(", "));
        Error::UnknownModel {
            name: model.to_owned(),
            known: format!("{known}; with --tau2-data also {more}"),
        }
    })
}

/// A step as an answer.
fn reply(request: &ChatRequest, step: usize, deed: Deed) -> Result<Reply, Error> {
    let (name, arguments) = match deed {
        Deed::Say(text) => return Ok(Reply::Words(text)),
        Deed::Finish(text) if !request.offers(&wire(FINISH)) => return Ok(Reply::Words(text)),
        Deed::Finish(text) => (wire(FINISH), json!({ "response": text }).to_string()),
        Deed::Call { function, arguments } => (wire(&function), json!(arguments).to_string()),
    };
    if !request.offers(&name) {
        return Err(Error::NotOffered { name });
    }
    Ok(Reply::Call { id: format!("call_{step}"), name, arguments })
}
