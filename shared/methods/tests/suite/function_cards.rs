//! The Function Card bank (algorithm 1, lines 7 to 12): one question per function, one decision per
//! answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use palaestra_domain::run_file::spec::ConstructionSpec;
use palaestra_domain::{Bank, CuratorPatch, FunctionCard, Profile, RejectionReason, SkillDelta};
use palaestra_memory::history::{BankEvent, ConstructionRole};
use palaestra_memory::{add_function_card, fold};
use palaestra_methods::contramem::construct::build_function_bank;
use palaestra_methods::contramem::curator;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::model::{CardQuestion, ConstructionModel, Decision, Reflection, Reply};
use palaestra_models::{Finish, ModelRequest};
use palaestra_store::Store;
use tokio::sync::Notify;

use crate::support::attempts::{failed, function, passed, trajectories};
use crate::support::building::{Material, events, store};
use crate::support::cases::look;
use crate::support::models::{Scripted, delta, journaled, words};

/// A card that says little and nothing wrong.
fn card(name: &str, side_effects: &[&str]) -> FunctionCard {
    let tool = function(name);
    FunctionCard {
        card_id: FunctionCard::id_of(&tool).unwrap(),
        app: tool.app().into(),
        function: tool.function().into(),
        tool,
        what_it_does: "Works on one order.".into(),
        arguments: vec![],
        returns: "the order".into(),
        usage_rules: vec![],
        common_mistakes: vec![],
        side_effects: side_effects.iter().map(|effect| (*effect).to_owned()).collect(),
        doc_delta_notes: vec![],
        code_idiom: None,
    }
}

/// The history of building cards for `cancel_order`, which writes, and `get_order`, which reads.
async fn built(
    settings: ConstructionSpec,
    documentation: &[(&str, &str)],
    script: impl Fn(&ModelRequest) -> String + Send + Sync + 'static,
) -> (Arc<dyn Store>, Scripted, Vec<BankEvent>) {
    let store = store();
    let tasks = [trajectories([look(passed("a")), failed("b").cancel("x")])];
    let material = Material::new(store.as_ref(), &tasks).await;
    let scripted =
        Scripted::new(&store, settings.clone(), move |request| (script(request), Finish::Stop)).await;
    let mut construction = material.construction(Arc::clone(&store), scripted.model.clone(), settings);
    let documented = documentation.iter().map(|(name, text)| (function(name), (*text).to_owned()));
    construction.documentation = documented.collect::<BTreeMap<_, _>>();
    for _ in 0..2 {
        build_function_bank(&construction, &material.evidence, &material.entries).await.unwrap();
    }
    let history = events(&construction).await;
    (store, scripted, history)
}

fn is_about(request: &ModelRequest, name: &str) -> bool {
    request.system.contains(&format!("Write one card for `{name}`"))
}

#[tokio::test]
async fn every_function_is_asked_about_once_and_its_card_enters() {
    let (store, scripted, history) = built(ConstructionSpec::default(), &[], |request| {
        let writes = is_about(request, "shop.cancel_order");
        let made = if writes {
            card("shop.cancel_order", &["It is cancelled."])
        } else {
            card("shop.get_order", &[])
        };
        serde_json::to_string(&made).unwrap()
    })
    .await;
    let scopes: Vec<String> = journaled(store.as_ref()).await.into_iter().map(|(scope, _)| scope).collect();
    assert_eq!(scopes, ["function/shop.cancel_order", "function/shop.get_order"]);
    assert_eq!((scripted.seen().len(), history.len()), (2, 2), "building again asks and adds nothing");
    let bank = fold(&history).unwrap();
    let named: Vec<String> = bank.function_cards.keys().map(|name| format!("function/{name}")).collect();
    assert_eq!(named, scopes);
}

#[tokio::test]
async fn the_card_of_another_function_is_left_out_and_kept_with_its_evidence() {
    let answer = serde_json::to_string(&card("shop.get_order", &[])).unwrap();
    let (store, _, history) = built(ConstructionSpec::default(), &[], move |_| answer.clone()).await;
    let [BankEvent::FunctionCardRejected { function: asked, rejections, evidence, .. }, added] =
        history.as_slice()
    else {
        panic!("{history:?}")
    };
    assert_eq!(asked.function(), "cancel_order");
    assert!(
        matches!(added, BankEvent::FunctionCardAdded { card, .. } if card.function == "get_order"),
        "{added:?}"
    );
    let reasons: Vec<RejectionReason> = rejections.iter().map(|r| r.reason).collect();
    for reason in [RejectionReason::Identity, RejectionReason::MissingSideEffect] {
        assert!(reasons.contains(&reason), "{reasons:?}");
    }
    assert!(store.blob_get(*evidence).await.is_ok());
}

#[tokio::test]
async fn a_value_of_any_task_keeps_a_card_out() {
    let (_, _, history) = built(ConstructionSpec::default(), &[], |_| {
        let mut leaking = card("shop.get_order", &["x"]);
        leaking.usage_rules = vec!["Ask for #W7800651 by its whole number.".into()];
        serde_json::to_string(&leaking).unwrap()
    })
    .await;
    let rejected = |event: &BankEvent| match event {
        BankEvent::FunctionCardRejected { rejections, .. } => {
            rejections.iter().any(|rejection| rejection.reason == RejectionReason::ScenarioValue)
        }
        _ => false,
    };
    assert!(history.len() == 2 && history.iter().all(rejected), "{history:?}");
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_kept() {
    let (_, _, history) = built(ConstructionSpec::default(), &[], |_| "sorry".to_owned()).await;
    let kept = |event: &BankEvent| match event {
        BankEvent::AnswerRejected {
            role: ConstructionRole::Builder,
            function: Some(_),
            answer,
            calls,
            ..
        } => answer == "sorry" && calls.len() == 1,
        _ => false,
    };
    assert!(history.len() == 2 && history.iter().all(kept), "{history:?}");
}

#[tokio::test]
async fn documentation_is_shown_and_not_repeated_where_agents_can_read_it() {
    let documentation = [("shop.get_order", "Returns one order by its order id.")];
    let script = |_: &ModelRequest| {
        let mut made = card("shop.get_order", &[]);
        made.usage_rules =
            vec!["Returns one order by its order id.".into(), "A shipped order answers slowly.".into()];
        serde_json::to_string(&made).unwrap()
    };
    for (profile, rules, shown) in [(Profile::CodeCells, 1, true), (Profile::FunctionCalling, 2, false)] {
        let settings = ConstructionSpec { profile, ..ConstructionSpec::default() };
        let (_, scripted, history) = built(settings, &documentation, script).await;
        let Some(BankEvent::FunctionCardAdded { card, dropped, .. }) = history.last() else {
            panic!("{history:?}")
        };
        assert_eq!((card.usage_rules.len(), dropped.len()), (rules, 2 - rules), "{profile:?}");
        let about = scripted.seen().into_iter().find(|request| is_about(request, "shop.get_order")).unwrap();
        assert_eq!(words(&about).contains("DOCUMENTATION\\nReturns one order"), shown, "{}", words(&about));
    }
}

#[test]
fn related_cards_are_those_of_the_deltas_functions() {
    let mut bank = Bank::default();
    for name in ["shop.cancel_order", "shop.get_order"] {
        add_function_card(&mut bank, card(name, &[])).unwrap();
    }
    let related: Vec<&str> =
        curator::related(&bank, &delta()).iter().map(|card| card.function.as_str()).collect();
    assert_eq!(related, ["cancel_order"]);
}

/// Fails at one question once the other is under way, and answers the other once that has happened.
struct Failing {
    begun: Notify,
    failed: Notify,
    answered: AtomicBool,
}

#[async_trait]
impl ConstructionModel for Failing {
    async fn build_function_card(
        &self,
        scope: &str,
        question: &CardQuestion<'_>,
    ) -> Result<Reply<FunctionCard>, Error> {
        if scope.ends_with("cancel_order") {
            self.begun.notified().await;
            self.failed.notify_one();
            return Err(Error::Inconsistent {
                stream: "planned".into(),
                position: 0,
                message: "the provider failed".into(),
            });
        }
        self.begun.notify_one();
        self.failed.notified().await;
        // One more turn, in which whoever gives up at the first failure drops this call.
        tokio::task::yield_now().await;
        self.answered.store(true, Ordering::SeqCst);
        let name = question.evidence.target_tool.to_string();
        Ok(Reply { value: Ok(card(&name, &[])), calls: Vec::new() })
    }

    async fn reflect(&self, _: &str, _: &Reflection<'_>) -> Result<Reply<Vec<SkillDelta>>, Error> {
        panic!("no packet is reflected on")
    }

    async fn curate(&self, _: &str, _: &Decision<'_>) -> Result<Reply<CuratorPatch>, Error> {
        panic!("nothing is curated")
    }
}

/// A call that is under way when another one fails is paid for: it is waited for, and its answer kept.
#[tokio::test]
async fn a_failure_does_not_cut_off_calls_that_are_under_way() {
    let store = store();
    let tasks = [trajectories([look(passed("a")), failed("b").cancel("x")])];
    let material = Material::new(store.as_ref(), &tasks).await;
    let model =
        Arc::new(Failing { begun: Notify::new(), failed: Notify::new(), answered: AtomicBool::new(false) });
    let construction = material.construction(store, model.clone(), ConstructionSpec::default());
    assert!(construction.concurrency > 1);
    let built = build_function_bank(&construction, &material.evidence, &material.entries).await;
    assert!(matches!(built, Err(Error::Inconsistent { .. })));
    assert!(model.answered.load(Ordering::SeqCst), "it was dropped");
}
