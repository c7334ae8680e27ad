//! Progress bars on standard error, for people who watch; silence otherwise.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use palaestra_methods::contramem::run::Stage;

/// One bar per stage, in the order in which the stages begin.
#[derive(Clone)]
pub struct Bars {
    all: MultiProgress,
    current: Arc<Mutex<Vec<(&'static str, ProgressBar)>>>,
}

impl Bars {
    /// Bars that are drawn only when somebody watches.
    #[must_use]
    pub fn new(watched: bool) -> Self {
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { all: MultiProgress::with_draw_target(target), current: Arc::default() }
    }

    /// What a run calls on every step.
    #[must_use]
    pub fn callback(&self) -> Arc<dyn Fn(Stage) + Send + Sync> {
        let bars = self.clone();
        Arc::new(move |stage| match stage {
            Stage::Attempts { total } => bars.begin("attempts", total),
            Stage::Packets { total } => bars.begin("packets", Some(total)),
            Stage::Functions { total } => bars.begin("function cards", Some(total)),
            Stage::Curation { total } => bars.begin("curation", Some(total)),
            Stage::Attempt => bars.step("attempts"),
            Stage::Packet => bars.step("packets"),
            Stage::Function => bars.step("function cards"),
            Stage::Curated => bars.step("curation"),
        })
    }

    /// Leaves the bars as they stand.
    pub fn finish(&self) {
        for (_, bar) in self.current.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            bar.finish();
        }
    }

    fn begin(&self, name: &'static str, total: Option<usize>) {
        let bar = match total {
            Some(total) => ProgressBar::new(total as u64),
            None => ProgressBar::no_length(),
        };
        let form = if total.is_some() {
            "{msg:>15} [{bar:32}] {pos}/{len}  {elapsed}"
        } else {
            "{msg:>15} {spinner} {pos}  {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style.progress_chars("=> "));
        }
        let bar = self.all.add(bar);
        bar.set_message(name);
        bar.enable_steady_tick(Duration::from_millis(200));
        let mut bars = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, before) in bars.iter() {
            before.finish();
        }
        bars.push((name, bar));
    }

    fn step(&self, name: &str) {
        let bars = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bar)) = bars.iter().find(|(stage, _)| *stage == name) {
            bar.inc(1);
        }
    }
}
