//! Counts model calls as their journal is read and written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use palaestra_domain::{Digest, RunName, Spend};
use palaestra_runtime::Clock;
use palaestra_store::{CallKey, Recalled, Store};

use super::handle::{Metrics, usd};
use super::labels;
use crate::curation::CallFacts;

/// Most calls that are remembered between two of their messages.
const MOST_REMEMBERED: usize = 65_536;

/// The meter of one coordinator. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Meter(Arc<Inner>);

struct Inner {
    metrics: Metrics,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// When calls were announced that have no answer yet.
    announced: Mutex<BTreeMap<CallKey, Instant>>,
    /// Keys under which only other requests than the one that was looked up were made.
    diverging: Mutex<BTreeMap<CallKey, ()>>,
}

/// An answer that is about to be recorded.
pub(crate) struct Answering {
    began: Instant,
    announced: Option<Instant>,
    /// What it says, when the call has no answer yet.
    facts: Option<CallFacts>,
}

impl Meter {
    pub(crate) fn new(metrics: Metrics, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let (announced, diverging) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { metrics, store, clock, announced, diverging }))
    }

    /// A request was looked up; an answer in the journal is a call that is not made again.
    pub(crate) fn recalled(&self, run: &RunName, key: &CallKey, recalled: &Recalled) {
        if recalled.diverges {
            remember(&self.0.diverging, key, ());
        }
        let Some(answer) = recalled.answer.as_deref() else { return };
        let saved = CallFacts::of(answer).map_or(0, |facts| facts.usage.total());
        let journal = &self.0.metrics.0.definitions.journal;
        journal.replays.with_label_values::<&str>(&[]).inc();
        journal.tokens_saved.with_label_values::<&str>(&[]).inc_by(saved);
        self.0.metrics.0.runs.of(run).note(|counts| {
            counts.replays = counts.replays.saturating_add(1);
            counts.tokens_saved = counts.tokens_saved.saturating_add(saved);
        });
    }

    /// A call was announced; one that diverges is a divergence only now, when it is really made.
    pub(crate) fn announced(&self, run: &RunName, key: &CallKey) {
        if forget(&self.0.diverging, key).is_some() {
            self.0.metrics.0.definitions.journal.divergences.with_label_values::<&str>(&[]).inc();
            self.0.metrics.0.runs.of(run).note(|counts| {
                counts.divergences = counts.divergences.saturating_add(1);
            });
        }
        remember(&self.0.announced, key, self.0.clock.monotonic());
    }

    /// An announcement was taken back.
    pub(crate) fn withdrawn(&self, key: &CallKey) {
        forget(&self.0.announced, key);
    }

    /// An answer is about to be recorded. The run's counts begin with what is recorded before it.
    pub(crate) async fn answering(
        &self,
        run: &RunName,
        key: &CallKey,
        request: Digest,
        record: &[u8],
    ) -> Answering {
        let began = self.0.clock.monotonic();
        self.0.metrics.0.runs.of(run).open(&self.0.store, run).await;
        let announced = forget(&self.0.announced, key);
        let is_new = announced.is_some() || !self.is_recorded(key, request).await;
        let read =
            || CallFacts::of(record).inspect_err(|error| tracing::warn!(%error, "an answer is not counted"));
        let facts = is_new.then(read).and_then(Result::ok);
        Answering { began, announced, facts }
    }

    async fn is_recorded(&self, key: &CallKey, request: Digest) -> bool {
        let entries = self.0.store.journal_get(key).await.unwrap_or_default();
        entries.iter().any(|entry| entry.request == request && entry.answer.is_some())
    }

    /// The answer is durable and settled.
    pub(crate) fn answered(&self, run: &RunName, answering: Answering) {
        let now = self.0.clock.monotonic();
        let journal = &self.0.metrics.0.definitions.journal;
        journal.append.observe(now.saturating_duration_since(answering.began).as_secs_f64());
        let Some(facts) = answering.facts else { return };
        self.count(&facts);
        let waited = Duration::from_millis(facts.waited_ms);
        let lasted = answering.announced.map(|at| now.saturating_duration_since(at).saturating_sub(waited));
        let used = Spend { usd: facts.cost.unwrap_or_default(), tokens: facts.usage.total() };
        self.0.metrics.0.runs.of(run).note(|counts| {
            counts.call(&facts.role, &facts.model.model, used);
            counts.time("limited", waited);
            counts.time("calling", lasted.unwrap_or_default());
        });
    }

    fn count(&self, facts: &CallFacts) {
        let calls = &self.0.metrics.0.definitions.calls;
        let (role, model) = (labels::role(&facts.role), self.0.metrics.0.known.model(&facts.model.model));
        let model = model.as_str();
        calls.calls.with_label_values(&[role, model, facts.finish]).inc();
        for (kind, tokens) in [
            ("input", facts.usage.input),
            ("cached_input", facts.usage.cached_input),
            ("cache_write", facts.usage.cache_write),
            ("output", facts.usage.output),
            ("reasoning", facts.usage.reasoning),
        ] {
            calls.tokens.with_label_values(&[role, model, kind]).inc_by(tokens);
        }
        match facts.cost {
            Some(cost) => calls.cost.with_label_values(&[role, model]).inc_by(usd(cost)),
            None => calls.unpriced.with_label_values(&[role, model]).inc(),
        }
        for (reason, count) in &facts.retries {
            calls.retries.with_label_values(&[model, labels::error_class(reason)]).inc_by(u64::from(*count));
        }
        calls.lost.with_label_values(&[model]).inc_by(u64::from(facts.lost_attempts));
        let waited = Duration::from_millis(facts.waited_ms);
        calls.waited.with_label_values(&[model]).inc_by(waited.as_secs_f64());
    }
}

fn remember<T>(map: &Mutex<BTreeMap<CallKey, T>>, key: &CallKey, value: T) {
    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
    // Calls that never came to an end make room; what is forgotten is only measured less well.
    if map.len() >= MOST_REMEMBERED {
        map.clear();
    }
    map.insert(key.clone(), value);
}

fn forget<T>(map: &Mutex<BTreeMap<CallKey, T>>, key: &CallKey) -> Option<T> {
    map.lock().unwrap_or_else(PoisonError::into_inner).remove(key)
}
