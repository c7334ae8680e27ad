//! An environment that understands three words of code, and an agent whose model says what a test says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::task::Split;
use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_domain::{BudgetLimits, Digest, FunctionName, SourceId, Task, TaskId, TokenUsage, Trajectory};
use palaestra_environments::contract::{Act, ActResult, Description, InnerCall, UserPart, Verdict};
use palaestra_environments::{Environment, Error};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{
    AttemptFailure, Finish, Limiter, Message, ModelRequest, ModelResponse, ModelsBuilder, PriceTable,
    ScriptedProvider, Unshared,
};
use palaestra_runtime::{ErrorClass, ManualClock};
use palaestra_store::SqliteStore;
use serde_json::{Map, json};

use crate::agent::{Agent as _, Assignment};
use crate::code_cell::{CodeCellAgent, CodeCellSettings};
use crate::guide::Guide;
use crate::limits::Limits;

/// What every output of `look` is: long enough to be cut.
pub(super) const SEEN: &str = "a long list of things that somebody owns";

/// A world in which `look` prints something and calls one function, `done` completes the task, and
/// everything else prints nothing.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) no_cell: bool,
    pub(super) ran: Vec<String>,
    pub(super) remarks: Vec<String>,
    pub(super) completed: bool,
}

#[async_trait]
impl Environment for Cells {
    async fn describe(&mut self) -> Result<Description, Error> {
        let name = FunctionName::parse("code.run").unwrap();
        let parameters = json!({ "type": "object", "required": ["code"] });
        let tool =
            ToolSpec { name: name.clone(), description: String::new(), parameters, effect: Effect::Write };
        Ok(Description {
            name: "cells",
            data_version: "1".to_owned(),
            tools: vec![tool],
            rules: Some("Complete with done.".to_owned()),
            greeting: None,
            user: UserPart::Absent,
            cell: (!self.no_cell).then_some(name),
        })
    }

    async fn tasks(&mut self, _: Split, _: u32, _: u64) -> Result<Vec<Task>, Error> {
        Ok(vec![task()])
    }

    async fn reset(&mut self, task: &Task, _: u64) -> Result<String, Error> {
        Ok(task.instruction.clone())
    }

    async fn act(&mut self, act: &Act) -> Result<ActResult, Error> {
        let code = act.arguments["code"].as_str().unwrap().trim().to_owned();
        let call = InnerCall {
            function: "shop.list".to_owned(),
            arguments: Map::new(),
            content: "[1]".to_owned(),
            error: false,
        };
        self.completed |= code == "done";
        let looks = code == "look";
        self.ran.push(code);
        Ok(ActResult {
            content: if looks { SEEN.to_owned() } else { String::new() },
            error: false,
            calls: if looks { vec![call] } else { Vec::new() },
        })
    }

    async fn say(&mut self, _: &str) -> Result<String, Error> {
        panic!("nobody is asked by this agent")
    }

    async fn remark(&mut self, text: &str) -> Result<(), Error> {
        self.remarks.push(text.to_owned());
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.completed
    }

    async fn state_hash(&mut self) -> Result<Digest, Error> {
        Ok(Digest::of_value("cells", &self.ran)?)
    }

    async fn finish(&mut self, _: &str) -> Result<(), Error> {
        Ok(())
    }

    async fn verify(&mut self) -> Result<Verdict, Error> {
        let passed = self.completed;
        Ok(Verdict { passed, reward: f64::from(u8::from(passed)), feedback: Vec::new() })
    }

    async fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// What the model says in one turn.
#[derive(Debug, Clone)]
pub(super) enum Says {
    Text(String, Finish),
    Fails(ErrorClass),
}

/// Words alone.
pub(super) fn words(text: &str) -> Says {
    Says::Text(text.to_owned(), Finish::Stop)
}

/// A block of code with a word before it.
pub(super) fn cell(code: &str) -> Says {
    words(&format!("Now.\n```python\n{code}\n```"))
}

/// A model, an agent with it, and everything that passed between them.
pub(super) struct Bench {
    pub(super) settings: CodeCellSettings,
    pub(super) limits: Limits,
    pub(super) guidance: Option<Arc<dyn Guide>>,
    pub(super) per_turn: Duration,
    script: Vec<Says>,
    requests: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Bench {
    /// A model that says these turns, one after another, and never more.
    pub(super) fn new(script: Vec<Says>) -> Self {
        Self {
            settings: CodeCellSettings::default(),
            limits: Limits::default(),
            guidance: None,
            per_turn: Duration::ZERO,
            script,
            requests: Arc::default(),
        }
    }

    /// One attempt, and the world after it.
    pub(super) async fn attempt(&self) -> (Trajectory, Cells) {
        let mut world = Cells::default();
        let run = self.attempt_in(&mut world).await;
        (run, world)
    }

    /// One attempt in this world.
    pub(super) async fn attempt_in(&self, world: &mut Cells) -> Trajectory {
        let task = task();
        let guidance = self.guidance.as_deref();
        let assignment = Assignment { task: &task, seed: 1, trial: 0, guidance, limits: self.limits };
        self.agent().attempt(world, &assignment).await
    }

    /// The requests that reached the model.
    pub(super) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// The texts of the user's side in the last request.
    pub(super) fn heard(&self) -> Vec<String> {
        let last = self.requests().pop().unwrap();
        let text = |message| match message {
            Message::User { text, .. } => Some(text),
            _ => None,
        };
        last.messages.into_iter().filter_map(text).collect()
    }

    fn agent(&self) -> CodeCellAgent {
        let clock = Arc::new(ManualClock::new("2031-01-01T00:00:00Z".parse().unwrap()));
        let limiter = Limiter::new(Arc::new(Unshared), clock.clone());
        let mut models = ModelsBuilder::new(clock.clone(), PriceTable::embedded().unwrap(), false, limiter);
        let (script, requests) = (self.script.clone(), self.requests.clone());
        let (per_turn, time) = (self.per_turn, clock.clone());
        let provider = ScriptedProvider::new(move |request| {
            requests.lock().unwrap().push(request.clone());
            time.advance(per_turn);
            let turn = request.messages.iter().filter(|m| matches!(m, Message::Assistant { .. })).count();
            said(&script[turn])
        });
        let model = models.provider("scripted", "m", Arc::new(provider)).unwrap();
        let store = Arc::new(SqliteStore::open_in_memory().unwrap());
        let account = LocalAccount::new(store, BudgetLimits::default());
        let client = models.build().client("run/test", account);
        CodeCellAgent::new(client, model, self.settings, SourceId::new("vendor/m").unwrap(), clock).unwrap()
    }
}

fn said(says: &Says) -> Result<ModelResponse, AttemptFailure> {
    let (text, finish) = match says {
        Says::Fails(class) => return Err(AttemptFailure::new(*class, "as the test says")),
        Says::Text(text, finish) => (text.clone(), finish.clone()),
    };
    Ok(response(text, finish))
}

/// An answer of the model.
pub(super) fn response(text: String, finish: Finish) -> ModelResponse {
    ModelResponse {
        text,
        reasoning: None,
        tool_calls: Vec::new(),
        finish,
        usage: TokenUsage { input: 100, output: 10, ..TokenUsage::default() },
        usage_estimated: false,
        decoded_lossily: false,
        answered_by: "m".to_owned(),
        request_id: None,
    }
}

fn task() -> Task {
    Task {
        id: TaskId::new("cells/1").unwrap(),
        scenario: "one".to_owned(),
        ability: None,
        instruction: "Look, then be done.".to_owned(),
    }
}
