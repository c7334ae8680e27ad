//! A language model whose answers are written down, behind the real client and its journal.

use std::sync::{Arc, Mutex};

use palaestra_domain::run_file::spec::ConstructionSpec;
use palaestra_domain::{BudgetLimits, CuratorPatch, Digest, Operation, SkillBody, SkillDelta, SkillEvidence};
use palaestra_methods::contramem::language::LanguageModel;
use palaestra_models::testing::LocalAccount;
use palaestra_models::{
    Finish, Limiter, ModelRequest, ModelsBuilder, Output, PriceTable, ScriptedProvider, Unshared,
};
use palaestra_runtime::clock::SystemClock;
use palaestra_store::Store;
use serde_json::json;

use super::attempts::function;

/// Which of the three questions a request asks, by the name of the answer's schema.
pub(crate) fn asks_for(request: &ModelRequest) -> &str {
    match &request.output {
        Output::JsonSchema { name, .. } => name,
        Output::Text => "text",
    }
}

/// Everything that a request says.
pub(crate) fn words(request: &ModelRequest) -> String {
    format!("{}\n{}", request.system, json!(request.messages))
}

/// A model and the requests that reached its provider.
pub(crate) struct Scripted {
    pub(crate) model: Arc<LanguageModel>,
    seen: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Scripted {
    /// A model that answers by `script`.
    pub(crate) async fn new(
        store: &Arc<dyn Store>,
        settings: ConstructionSpec,
        script: impl Fn(&ModelRequest) -> (String, Finish) + Send + Sync + 'static,
    ) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        let provider = ScriptedProvider::new(move |request| {
            record.lock().unwrap().push(request.clone());
            let (text, finish) = script(request);
            let mut response = ScriptedProvider::answer(request, text, Vec::new());
            response.finish = finish;
            Ok(response)
        });
        let prices = PriceTable::embedded().unwrap();
        let clock = Arc::new(SystemClock);
        let limiter = Limiter::new(Arc::new(Unshared), Arc::clone(&clock) as _);
        let mut builder = ModelsBuilder::new(clock, prices, false, limiter);
        let model = builder.provider("scripted", "writer", Arc::new(provider)).unwrap();
        let account = LocalAccount::new(Arc::clone(store), BudgetLimits::default());
        let client = builder.build().client("run/test", account);
        Self { model: Arc::new(LanguageModel::new(client, model, settings).unwrap()), seen }
    }

    pub(crate) fn seen(&self) -> Vec<ModelRequest> {
        self.seen.lock().unwrap().clone()
    }
}

/// The scopes and digests of all journaled calls.
pub(crate) async fn journaled(store: &dyn Store) -> Vec<(String, Digest)> {
    let entries = store.journal_read("run/test/").await.unwrap();
    entries.into_iter().map(|entry| (entry.key.scope.replace("run/test/", ""), entry.request)).collect()
}

/// A valid lesson about cancelling.
pub(crate) fn delta() -> SkillDelta {
    SkillDelta {
        title: "Cancel before the last reply".into(),
        applies_when: "The customer wants to cancel an order and the order is known.".into(),
        solves: "Orders that are looked at and never cancelled.".into(),
        tags: vec!["cancel".into(), "order".into(), "state_write".into()],
        skill: SkillBody {
            core_rule: "If an order is to be cancelled, then cancel it before the last reply.".into(),
            completion_condition: vec!["The cancellation returned without an error.".into()],
            failure_contrast: vec!["Announced the cancellation and did not make it.".into()],
            ..SkillBody::default()
        },
        evidence: SkillEvidence::default(),
        functions_used: vec![function("shop.cancel_order")],
    }
}

/// The edit that adds a delta as it is.
pub(crate) fn add(delta_index: usize, delta: &SkillDelta) -> CuratorPatch {
    CuratorPatch {
        delta_index,
        operation: Operation::AddCard,
        target_card_id: None,
        target_card_ids: Vec::new(),
        retained_card_id: None,
        new_or_updated_card: Some(delta.clone()),
        reason: "nothing says this".into(),
    }
}

pub(crate) fn deltas(all: &[SkillDelta]) -> String {
    json!({ "deltas": all }).to_string()
}

pub(crate) fn patches(all: &[CuratorPatch]) -> String {
    json!({ "patches": all }).to_string()
}
