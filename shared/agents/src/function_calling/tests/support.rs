//! An agent whose model answers as a test says, at a task of the workshop.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use palaestra_domain::task::Split;
use palaestra_domain::{BudgetLimits, SourceId, Task, TokenUsage, Trajectory};
use palaestra_environments::workshop::{Workshop, tasks};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{
    Account, Arguments, AttemptFailure, Finish, Limiter, Message, ModelRequest, ModelResponse, ModelsBuilder,
    PriceTable, ScriptedProvider, ToolCall, Unshared,
};
use palaestra_runtime::{ErrorClass, ManualClock};
use palaestra_store::{SqliteStore, Store as _};
use serde_json::Value;

use crate::agent::{Agent as _, Assignment};
use crate::function_calling::{FINISH, FunctionCallingAgent, FunctionCallingSettings};
use crate::guide::Guide;
use crate::limits::Limits;

pub(super) const SEED: u64 = 11;

/// What the model says in one turn.
#[derive(Debug, Clone)]
pub(super) enum Says {
    /// Words and calls, each with its arguments as text.
    Turn { text: &'static str, calls: Vec<(&'static str, String)>, finish: Finish },
    /// No answer.
    Fails(ErrorClass),
}

/// Words alone.
pub(super) fn words(text: &'static str) -> Says {
    Says::Turn { text, calls: Vec::new(), finish: Finish::Stop }
}

/// Calls alone.
pub(super) fn calls(calls: &[(&'static str, Value)]) -> Says {
    raw(&calls.iter().map(|(name, arguments)| (*name, arguments.to_string())).collect::<Vec<_>>())
}

/// Calls with arguments that need not be JSON.
pub(super) fn raw(calls: &[(&'static str, String)]) -> Says {
    Says::Turn { text: "", calls: calls.to_vec(), finish: Finish::ToolCalls }
}

/// The final response.
pub(super) fn finish(response: &str) -> Says {
    calls(&[(FINISH, serde_json::json!({ "response": response }))])
}

/// A model, an agent with it, and everything that passed between them.
pub(super) struct Bench {
    pub(super) settings: FunctionCallingSettings,
    pub(super) limits: Limits,
    pub(super) guidance: Option<Arc<dyn Guide>>,
    pub(super) account: Arc<dyn Account>,
    pub(super) store: Arc<SqliteStore>,
    /// What stands before the service's ids of calls.
    pub(super) id_prefix: &'static str,
    /// How long the model takes for each turn.
    pub(super) per_turn: Duration,
    script: Vec<Says>,
    requests: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Bench {
    /// A model that says these turns, one after another, and never more.
    pub(super) fn new(script: Vec<Says>) -> Self {
        let store = Arc::new(SqliteStore::open_in_memory().unwrap());
        Self {
            settings: FunctionCallingSettings::default(),
            limits: Limits::default(),
            guidance: None,
            account: LocalAccount::new(store.clone(), BudgetLimits::default()),
            store,
            id_prefix: "theirs",
            per_turn: Duration::ZERO,
            script,
            requests: Arc::default(),
        }
    }

    /// One attempt at the task.
    pub(super) async fn attempt(&self) -> Trajectory {
        let task = task();
        let (limits, guidance) = (self.limits, self.guidance.as_deref());
        let assignment = Assignment { task: &task, seed: SEED, trial: 3, guidance, limits };
        self.agent().attempt(&mut Workshop::default(), &assignment).await
    }

    /// The requests that reached the model.
    pub(super) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// The keys of all calls in the journal, in order.
    pub(super) async fn keys(&self) -> Vec<String> {
        let entries = self.store.journal_read("").await.unwrap();
        entries.into_iter().map(|entry| entry.key.to_string()).collect()
    }

    /// The agent itself.
    pub(super) fn agent(&self) -> FunctionCallingAgent {
        let clock = Arc::new(ManualClock::new("2031-01-01T00:00:00Z".parse().unwrap()));
        let limiter = Limiter::new(Arc::new(Unshared), clock.clone());
        let mut models = ModelsBuilder::new(clock.clone(), PriceTable::embedded().unwrap(), false, limiter);
        let (script, requests) = (self.script.clone(), self.requests.clone());
        let (per_turn, prefix, time) = (self.per_turn, self.id_prefix, clock.clone());
        let provider = ScriptedProvider::new(move |request| {
            requests.lock().unwrap().push(request.clone());
            time.advance(per_turn);
            // The turn's number is read from the request, so that equal requests get equal answers.
            let turn = request.messages.iter().filter(|m| matches!(m, Message::Assistant { .. })).count();
            said(&script[turn], &format!("{prefix}-{turn}"))
        });
        let model = models.provider("scripted", "m", Arc::new(provider)).unwrap();
        let client = models.build().client("run/test", self.account.clone());
        let source = SourceId::new("vendor/m").unwrap();
        FunctionCallingAgent::new(client, model, self.settings, source, clock).unwrap()
    }
}

fn said(says: &Says, id: &str) -> Result<ModelResponse, AttemptFailure> {
    let (text, calls, finish) = match says {
        Says::Fails(class) => return Err(AttemptFailure::new(*class, "as the test says")),
        Says::Turn { text, calls, finish } => (*text, calls, finish.clone()),
    };
    let call = |(index, (name, arguments)): (usize, &(&str, String))| ToolCall {
        id: format!("{id}-{index}"),
        name: (*name).to_owned(),
        arguments: Arguments::parse(arguments.clone()),
    };
    Ok(ModelResponse {
        text: text.to_owned(),
        reasoning: Some("Hm, hm.".to_owned()),
        tool_calls: calls.iter().enumerate().map(call).collect(),
        finish,
        usage: TokenUsage { input: 100, output: 10, reasoning: 4, ..TokenUsage::default() },
        usage_estimated: false,
        decoded_lossily: false,
        answered_by: "m".to_owned(),
        request_id: None,
    })
}

/// A task whose user has to be asked which of three people is meant.
pub(super) fn task() -> Task {
    let all = tasks(Split::Reference, 1, SEED).unwrap();
    all.into_iter().find(|task| task.id.as_str().contains("ambiguity/which_person/")).unwrap()
}
