//! Progress bars on standard error, for people who watch; silence otherwise.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use palaestra_domain::{NanoUsd, Tally};
use palaestra_methods::contramem::run::Stage;
use palaestra_proto::v1::{RunStatus, TimeSpent};

/// What is read or made before a run is submitted.
const PLANNING: &str = "planning";

/// One bar per kind of progress, in the order in which they begin.
#[derive(Clone)]
pub struct Bars {
    all: MultiProgress,
    bars: Arc<Mutex<BTreeMap<&'static str, ProgressBar>>>,
}

impl Bars {
    /// Bars that are drawn only when somebody watches.
    #[must_use]
    pub fn new(watched: bool) -> Self {
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { all: MultiProgress::with_draw_target(target), bars: Arc::default() }
    }

    /// What planning calls on every step.
    #[must_use]
    pub fn planning(&self) -> Arc<dyn Fn(Stage) + Send + Sync> {
        let bars = self.clone();
        Arc::new(move |_| bars.with(PLANNING, None, |bar| bar.inc(1)))
    }

    /// Shows where a run is.
    pub fn show(&self, status: &RunStatus) {
        if let Some(bar) = self.lock().remove(PLANNING) {
            bar.finish();
        }
        let tally: Tally = status.tally.unwrap_or_default().into();
        let units = status.units.unwrap_or_default();
        self.with("trajectories", Some(status.requested), |bar| {
            bar.set_position(tally.total().into());
            let counts = format!("{} passed, {} units at work", tally.passed, units.leased);
            bar.set_message(format!("{counts}{}", spending(status)));
        });
        if status.workers == 0 && units.waiting > 0 {
            let hint = "no worker is connected: start some with `palaestra worker`";
            self.with("time", None, |bar| bar.set_message(hint));
        } else {
            let spent = |time: &TimeSpent| format!("{} {:.0} s", time.what, time.ms as f64 / 1_000.0);
            let spent: Vec<String> = status.time.iter().map(spent).collect();
            self.with("time", None, |bar| bar.set_message(spent.join(", ")));
        }
        let curation = status.curation.clone().unwrap_or_default();
        if curation.total > 0 {
            let acceptance = status.acceptance.unwrap_or_default();
            self.with("curation", Some(curation.total), |bar| {
                bar.set_position(curation.done.into());
                let decided = acceptance.accepted.saturating_add(acceptance.rejected);
                bar.set_message(format!("{} of {decided} decisions accepted", acceptance.accepted));
            });
        }
    }

    /// Leaves the bars as they stand.
    pub fn finish(&self) {
        for bar in std::mem::take(&mut *self.lock()).into_values() {
            bar.abandon();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<&'static str, ProgressBar>> {
        self.bars.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, name: &'static str, total: Option<u32>, change: impl FnOnce(&ProgressBar)) {
        let mut bars = self.lock();
        change(bars.entry(name).or_insert_with(|| self.begin(name, total)));
    }

    fn begin(&self, name: &'static str, total: Option<u32>) -> ProgressBar {
        let bar = total.map_or_else(ProgressBar::no_length, |total| ProgressBar::new(total.into()));
        let form = if total.is_some() {
            "{prefix:>13} [{bar:28}] {pos}/{len}  {elapsed}  {msg}"
        } else {
            "{prefix:>13} {spinner} {pos}  {elapsed}  {msg}"
        };
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style.progress_chars("=> "));
        }
        let bar = self.all.add(bar);
        bar.set_prefix(name);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}

/// What was spent, once something was.
fn spending(status: &RunStatus) -> String {
    let spent = status.spent.unwrap_or_default();
    if spent.tokens == 0 {
        return String::new();
    }
    format!(", {} and {} tokens spent", NanoUsd(spent.nano_usd), spent.tokens)
}
