//! A session: the only way from an agent to an environment. It writes down every event in order,
//! counts actions against the limit, and turns the end into a trajectory.
//!
//! It never decides anything for the agent.

use std::collections::BTreeMap;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::tool::{Effect, effect_from_verb};
use palaestra_domain::trajectory::{Arguments, Event, EventBody, EventSource};
use palaestra_domain::{FunctionName, Outcome, SourceId, TokenUsage, Trajectory};
use palaestra_environments::Environment;
use palaestra_environments::contract::{Act, ActResult, Description, InnerCall};
use palaestra_environments::error::Error as EnvironmentError;
use serde_json::{Map, Value};

use crate::agent::Assignment;
use crate::error::Error;

/// Why an attempt ended before the agent gave its final response.
#[derive(Debug)]
pub enum Stop {
    /// The other side has ended it; the agent's last words are its final response.
    Over,
    /// A limit was reached: which, for example `120 actions`.
    Limit(String),
    /// The agent cannot begin or go on, with the reason in words.
    Unable(String),
    /// The agent itself failed.
    Agent(Error),
    /// The environment failed.
    Environment(EnvironmentError),
    /// The way to the model failed, and of which kind the failure is.
    Model(UnresolvedClass, Box<palaestra_models::Error>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Agent(error)
    }
}

impl From<EnvironmentError> for Stop {
    fn from(error: EnvironmentError) -> Self {
        Self::Environment(error)
    }
}

/// One attempt in progress.
pub struct Session<'a> {
    environment: &'a mut dyn Environment,
    assignment: &'a Assignment<'a>,
    effects: BTreeMap<FunctionName, Effect>,
    events: Vec<Event>,
    actions: usize,
    usage: TokenUsage,
    /// News that the agent has not taken yet.
    news: Vec<String>,
    notes: Vec<String>,
}

impl<'a> Session<'a> {
    /// A session that has not begun yet.
    #[must_use]
    pub fn new(environment: &'a mut dyn Environment, assignment: &'a Assignment<'a>) -> Self {
        Self {
            environment,
            assignment,
            effects: BTreeMap::new(),
            events: Vec::new(),
            actions: 0,
            usage: TokenUsage::default(),
            news: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Resets the environment to the task and returns what it offers and the instruction, which is
    /// the user's first message.
    ///
    /// # Errors
    /// [`Stop::Environment`].
    pub async fn begin(&mut self) -> Result<(Description, String), Stop> {
        let offer = self.environment.describe().await?;
        self.effects = offer.tools.iter().map(|tool| (tool.name.clone(), tool.effect)).collect();
        let text = self.environment.reset(self.assignment.task, self.assignment.seed).await?;
        if let Some(greeting) = &offer.greeting {
            self.push(EventSource::Agent, EventBody::Message { text: greeting.clone() });
        }
        self.push(EventSource::User, EventBody::Message { text: text.clone() });
        self.hear_news();
        Ok((offer, text))
    }

    /// Calls a function; an error result is for the agent to read.
    ///
    /// # Errors
    /// [`Stop::Limit`], [`Stop::Environment`] and [`Stop::Over`].
    pub async fn call(
        &mut self,
        function: &FunctionName,
        arguments: Map<String, Value>,
    ) -> Result<ActResult, Stop> {
        let known = self.effects.get(function).copied();
        let id = self.announce(function, Arguments::Object(arguments.clone()), known)?;
        let act = Act { id, function: function.to_string(), arguments };
        let result = self.environment.act(&act).await?;
        self.observe(act.id, &result);
        self.hear_news();
        self.go_on()?;
        Ok(result)
    }

    /// Executes code by the function that the environment offers for it. The code stands in the
    /// trajectory as words of the agent and its output as news of the environment; its calls stand
    /// between them, so that they are evidence like the calls of any other agent.
    ///
    /// # Errors
    /// [`Stop::Limit`], [`Stop::Agent`], [`Stop::Environment`] and [`Stop::Over`].
    pub async fn run_cell(&mut self, cell: &FunctionName, code: &str) -> Result<ActResult, Stop> {
        self.count()?;
        self.push(EventSource::Agent, EventBody::Message { text: code.to_owned() });
        let arguments = Map::from_iter([("code".to_owned(), Value::from(code))]);
        let act = Act { id: format!("cell-{}", self.actions), function: cell.to_string(), arguments };
        let result = self.environment.act(&act).await?;
        for (number, call) in result.calls.iter().enumerate() {
            self.write_down(format!("{}.{number}", act.id), call)?;
        }
        let output = EventBody::Notification { text: result.content.clone() };
        self.push(EventSource::Environment, output);
        self.hear_news();
        self.go_on()?;
        Ok(result)
    }

    /// Writes down a call that never reaches the environment, and the words that refuse it.
    /// `offered` is what the call would do; none when the agent was not offered such a function.
    ///
    /// # Errors
    /// [`Stop::Limit`].
    pub fn refuse(
        &mut self,
        function: &FunctionName,
        arguments: Arguments,
        offered: Option<Effect>,
        why: String,
    ) -> Result<ActResult, Stop> {
        let id = self.announce(function, arguments, offered)?;
        let result = ActResult::of_call(why, true);
        self.observe(id, &result);
        Ok(result)
    }

    /// Asks the user something and returns the reply.
    ///
    /// # Errors
    /// [`Stop::Limit`], [`Stop::Environment`] and [`Stop::Over`].
    pub async fn ask(&mut self, question: &str) -> Result<String, Stop> {
        self.count()?;
        self.push(EventSource::Agent, EventBody::Message { text: question.to_owned() });
        let reply = self.environment.say(question).await?;
        self.push(EventSource::User, EventBody::Message { text: reply.clone() });
        self.hear_news();
        self.go_on()?;
        Ok(reply)
    }

    /// Whether the world hears silence.
    #[must_use]
    pub fn hears_silence(&self) -> bool {
        self.environment.hears_silence()
    }

    /// Says nothing, so that time passes, and returns what the user says meanwhile; often nothing.
    ///
    /// # Errors
    /// [`Stop::Limit`], [`Stop::Environment`] and [`Stop::Over`].
    pub async fn keep_silent(&mut self) -> Result<String, Stop> {
        self.count()?;
        let words = self.environment.say("").await?;
        if !words.is_empty() {
            self.push(EventSource::User, EventBody::Message { text: words.clone() });
        }
        self.hear_news();
        self.go_on()?;
        Ok(words)
    }

    /// Says something that nobody answers.
    ///
    /// # Errors
    /// [`Stop::Environment`].
    pub async fn remark(&mut self, text: &str) -> Result<(), Stop> {
        self.push(EventSource::Agent, EventBody::Message { text: text.to_owned() });
        Ok(self.environment.remark(text).await?)
    }

    /// What the world has announced since the agent asked last.
    pub fn take_news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// Whether the world has announced something that the agent has not taken.
    #[must_use]
    pub fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// Adds the tokens of one model call.
    pub fn spend(&mut self, usage: TokenUsage) {
        self.usage = self.usage.plus(usage);
    }

    /// The tokens of the attempt so far.
    #[must_use]
    pub fn usage(&self) -> TokenUsage {
        self.usage
    }

    /// Writes down what of the agent's turns could not be taken as it stood.
    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Ends the attempt: with a final response it is verified, without one it has no result, or
    /// is unresolved when the environment, the agent itself or the way to the model failed.
    pub async fn end(mut self, source: SourceId, end: Result<String, Stop>) -> Trajectory {
        let verdict = match end {
            Ok(response) => {
                self.push(EventSource::Agent, EventBody::FinalResponse { text: response.clone() });
                self.verified(&response).await
            }
            Err(Stop::Over) => {
                let last_words = self.last_words();
                self.verified(&last_words).await
            }
            Err(Stop::Limit(what)) => {
                let reason = format!("limit of {what} reached before a final response");
                Err(Outcome::NoResult { reason })
            }
            Err(Stop::Unable(reason)) => Err(Outcome::NoResult { reason }),
            Err(Stop::Agent(error)) => Err(unresolved(UnresolvedClass::Infrastructure, &error)),
            Err(Stop::Environment(error)) => Err(unresolved(error.class(), &error)),
            Err(Stop::Model(class, error)) => Err(unresolved(class, &error)),
        };
        let (outcome, feedback) = verdict.unwrap_or_else(|outcome| (outcome, Vec::new()));
        self.notes.extend(self.environment.take_notes());
        Trajectory {
            task: self.assignment.task.clone(),
            source,
            trial: self.assignment.trial,
            events: self.events,
            outcome,
            feedback,
            usage: self.usage,
            decoding_notes: self.notes,
        }
    }

    /// The verdict; an outcome without one when the environment failed.
    async fn verified(&mut self, response: &str) -> Result<(Outcome, Vec<String>), Outcome> {
        let failed = |error: EnvironmentError| unresolved(error.class(), &error);
        self.environment.finish(response).await.map_err(failed)?;
        let verdict = self.environment.verify().await.map_err(failed)?;
        Ok((Outcome::Scored { passed: verdict.passed, reward: verdict.reward }, verdict.feedback))
    }

    /// The words that the agent said last become its final response, as in recorded attempts;
    /// nothing when it acted after them.
    fn last_words(&mut self) -> String {
        let last = self.events.iter_mut().rev().find(|event| event.source == EventSource::Agent);
        let Some(Event { body, .. }) = last else { return String::new() };
        let EventBody::Message { text } = body else { return String::new() };
        let text = std::mem::take(text);
        *body = EventBody::FinalResponse { text: text.clone() };
        text
    }

    fn hear_news(&mut self) {
        for text in self.environment.take_news() {
            self.push(EventSource::Environment, EventBody::Notification { text: text.clone() });
            self.news.push(text);
        }
    }

    /// A call that executed code made. It is no action of the agent's own.
    fn write_down(&mut self, id: String, call: &InnerCall) -> Result<(), Stop> {
        let function = FunctionName::parse(&call.function).map_err(Error::from)?;
        let known = self.effects.get(&function).copied();
        let effect = known.unwrap_or_else(|| effect_from_verb(function.function()));
        let arguments = Arguments::Object(call.arguments.clone());
        let body =
            EventBody::Call { call: id.clone(), function, arguments, effect, unknown: known.is_none() };
        self.push(EventSource::Agent, body);
        let (content, error) = (call.content.clone(), call.error);
        self.push(EventSource::Environment, EventBody::Observation { call: id, content, error });
        Ok(())
    }

    fn go_on(&self) -> Result<(), Stop> {
        if self.environment.is_over() { Err(Stop::Over) } else { Ok(()) }
    }

    /// Counts a call and writes it down; its id is its number, whatever a model called it.
    fn announce(
        &mut self,
        function: &FunctionName,
        arguments: Arguments,
        known: Option<Effect>,
    ) -> Result<String, Stop> {
        self.count()?;
        let call = format!("call-{}", self.actions);
        let effect = known.unwrap_or_else(|| effect_from_verb(function.function()));
        let (function, unknown) = (function.clone(), known.is_none());
        let body = EventBody::Call { call: call.clone(), function, arguments, effect, unknown };
        self.push(EventSource::Agent, body);
        Ok(call)
    }

    fn observe(&mut self, call: String, result: &ActResult) {
        let (content, error) = (result.content.clone(), result.error);
        self.push(EventSource::Environment, EventBody::Observation { call, content, error });
    }

    fn count(&mut self) -> Result<(), Stop> {
        let most = self.assignment.limits.actions;
        if self.actions >= most {
            return Err(Stop::Limit(format!("{most} actions")));
        }
        self.actions += 1;
        Ok(())
    }

    fn push(&mut self, source: EventSource, body: EventBody) {
        self.events.push(Event { source, body });
    }
}

/// The error with all its causes.
fn unresolved(class: UnresolvedClass, error: &dyn std::error::Error) -> Outcome {
    let causes = std::iter::successors(Some(error), |error| error.source());
    Outcome::Unresolved { class, reason: causes.map(ToString::to_string).collect::<Vec<_>>().join(": ") }
}
