//! One scrape: gauges are computed from the state and the streams, counters of the past are set to
//! what is recorded.

use palaestra_domain::rejection::RejectionReason;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{Operation, RunName, Spend, Tally};
use palaestra_proto::Reason;
use palaestra_proto::convert::name_of;
use prometheus::{Encoder as _, TextEncoder};

use super::counts::UnitCounts;
use super::handle::{Metrics, usd};
use super::labels::OTHER;
use crate::core::{AskError, Core};
use crate::state::{Run, RunClass, RunPhase, State};

/// Where a unit can be.
const UNIT_STATES: [&str; 4] = ["waiting", "leased", "committed", "unresolved"];

const CLASSES: [RunClass; 2] = [RunClass::Interactive, RunClass::Batch];
const PHASES: [RunPhase; 5] =
    [RunPhase::Active, RunPhase::Paused, RunPhase::OutOfBudget, RunPhase::Finished, RunPhase::Cancelled];

/// What is taken from the state, in sums.
struct Sums {
    runs: Vec<(RunName, RunSums)>,
    leases: usize,
    workers: [i64; 2],
    slots: Vec<(EnvironmentName, i64, i64)>,
}

struct RunSums {
    class: RunClass,
    phase: RunPhase,
    units: UnitCounts,
    tally: Tally,
    spent: Spend,
    held: Spend,
    may_have_billed: u64,
}

impl RunSums {
    fn of(run: &Run) -> Self {
        let ledger = run.ledger();
        Self {
            class: run.spec().class,
            phase: run.phase(),
            units: UnitCounts::of(run),
            tally: run.tally(),
            spent: ledger.spent(),
            held: ledger.held(),
            may_have_billed: ledger.may_have_billed(),
        }
    }
}

impl Sums {
    fn of(state: &State) -> Self {
        let draining = state.workers().values().filter(|worker| worker.draining).count();
        let ready = state.workers().len().saturating_sub(draining);
        let mut slots = Vec::new();
        for &environment in EnvironmentName::ALL {
            let sum = |of: fn(&crate::state::Worker) -> &crate::state::Capacity| {
                let counts = state.workers().values().filter_map(|worker| of(worker).get(&environment));
                counts.map(|count| i64::from(*count)).sum::<i64>()
            };
            let busy = sum(|worker| &worker.busy);
            slots.push((environment, busy, sum(|worker| &worker.capacity).saturating_sub(busy)));
        }
        Self {
            runs: state.runs().iter().map(|(name, run)| (name.clone(), RunSums::of(run))).collect(),
            leases: state.leased(),
            workers: [signed(ready), signed(draining)],
            slots,
        }
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Metrics {
    /// The text for Prometheus. Without a core (this coordinator stands by), only what was counted.
    ///
    /// # Errors
    /// When the core is over, or the text cannot be written.
    pub(crate) async fn scrape(&self, core: Option<(&Core, usize)>) -> Result<String, ScrapeError> {
        let _alone = self.0.scraping.lock().await;
        let doors = &self.0.definitions.doors;
        doors.leads.with_label_values::<&str>(&[]).set(i64::from(core.is_some()));
        if let Some((core, streams)) = core {
            doors.streams.with_label_values::<&str>(&[]).set(signed(streams));
            let sums = core.view(Sums::of).await?;
            self.set_work(&sums);
            self.set_money(&sums);
            self.set_banks(core, &sums).await;
            self.set_log(core);
        }
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.0.definitions.shelf.registry().gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Every series of a closed set is there from the beginning, so that rates see its first step.
    pub(super) fn begin_at_zero(&self) {
        let definitions = &self.0.definitions;
        let (work, calls, doors) = (&definitions.work, &definitions.calls, &definitions.doors);
        let journal = &definitions.journal;
        for counter in [&work.granted, &work.expired, &work.revoked, &work.stale] {
            counter.with_label_values::<&str>(&[]).inc_by(0);
        }
        for counter in
            [&journal.replays, &journal.tokens_saved, &journal.divergences, &journal.may_have_billed]
        {
            counter.with_label_values::<&str>(&[]).inc_by(0);
        }
        for reason in ["infrastructure", "preemption", "provider", "model"] {
            work.retries.with_label_values(&[reason]).inc_by(0);
        }
        for reason in Reason::ALL {
            doors.refusals.with_label_values(&[reason.as_str()]).inc_by(0);
        }
        calls.calls.with_label_values(&[OTHER, OTHER, OTHER]).inc_by(0);
        calls.tokens.with_label_values(&[OTHER, OTHER, "input"]).inc_by(0);
        calls.cost.with_label_values(&[OTHER, OTHER]).inc_by(0.0);
        calls.unpriced.with_label_values(&[OTHER, OTHER]).inc_by(0);
        calls.retries.with_label_values(&[OTHER, OTHER]).inc_by(0);
        calls.lost.with_label_values(&[OTHER]).inc_by(0);
        calls.waited.with_label_values(&[OTHER]).inc_by(0.0);
    }

    fn set_work(&self, sums: &Sums) {
        let work = &self.0.definitions.work;
        work.attempts.reset();
        for class in CLASSES {
            let runs = || sums.runs.iter().map(|(_, run)| run).filter(|run| run.class == class);
            let total = |of: fn(&RunSums) -> u32| runs().map(|run| i64::from(of(run))).sum::<i64>();
            let label = name_of(&class);
            let class = label.as_str();
            let counts = [
                total(|run| run.units.waiting),
                total(|run| run.units.leased),
                total(|run| run.units.committed),
                total(|run| run.units.unresolved),
            ];
            for (state, count) in UNIT_STATES.into_iter().zip(counts) {
                work.units.with_label_values(&[class, state]).set(count);
            }
            let queued = |run: &RunSums| if run.phase == RunPhase::Active { run.units.waiting } else { 0 };
            work.queue.with_label_values(&[class]).set(total(queued));
            for phase in PHASES {
                let count = runs().filter(|run| run.phase == phase).count();
                work.runs.with_label_values(&[class, name_of(&phase).as_str()]).set(signed(count));
            }
            let tally = runs().fold(Tally::default(), |sum, run| sum.plus(run.tally));
            for (outcome, count) in [
                ("passed", tally.passed),
                ("failed", tally.failed),
                ("no_result", tally.no_result),
                ("unresolved", tally.unresolved),
            ] {
                work.attempts.with_label_values(&[class, outcome]).inc_by(u64::from(count));
            }
        }
        work.leases.with_label_values::<&str>(&[]).set(signed(sums.leases));
        for (state, count) in ["ready", "draining"].into_iter().zip(sums.workers) {
            work.workers.with_label_values(&[state]).set(count);
        }
        for (environment, busy, free) in &sums.slots {
            let environment = name_of(environment);
            work.slots.with_label_values(&[environment.as_str(), "busy"]).set(*busy);
            work.slots.with_label_values(&[environment.as_str(), "free"]).set(*free);
        }
    }

    fn set_money(&self, sums: &Sums) {
        let journal = &self.0.definitions.journal;
        journal.may_have_billed.reset();
        journal.spent_usd.reset();
        journal.spent_tokens.reset();
        let billed = sums.runs.iter().fold(0_u64, |sum, (_, run)| sum.saturating_add(run.may_have_billed));
        journal.may_have_billed.with_label_values::<&str>(&[]).inc_by(billed);
        for class in CLASSES {
            let runs = || sums.runs.iter().map(|(_, run)| run).filter(|run| run.class == class);
            let spent = runs().fold(Spend::default(), |sum, run| sum.plus(run.spent));
            let held = runs().fold(Spend::default(), |sum, run| sum.plus(run.held));
            let label = name_of(&class);
            let class = label.as_str();
            journal.spent_usd.with_label_values(&[class]).inc_by(usd(spent.usd));
            journal.spent_tokens.with_label_values(&[class]).inc_by(spent.tokens);
            journal.held_usd.with_label_values(&[class]).set(usd(held.usd));
        }
    }

    async fn set_banks(&self, core: &Core, sums: &Sums) {
        let banks = &self.0.definitions.banks;
        let mut read = Vec::with_capacity(sums.runs.len());
        for (run, _) in &sums.runs {
            read.push((self.0.known.method(run), self.progress(core.store(), run).await));
        }
        banks.decisions.reset();
        banks.rejections.reset();
        banks.packets.reset();
        banks.cards.reset();
        for method in ["contramem", OTHER] {
            let of_method = || read.iter().filter(|(of, _)| *of == method).map(|(_, progress)| progress);
            for operation in Operation::ALL {
                let count = of_method().filter_map(|progress| progress.operations.get(&operation)).sum();
                banks.decisions.with_label_values(&[method, operation.as_str()]).inc_by(count);
            }
            banks.rejections.with_label_values(&[method, OTHER]).inc_by(0);
            for progress in of_method() {
                for (reason, count) in &progress.rejections {
                    let reason: &RejectionReason = reason;
                    banks.rejections.with_label_values(&[method, reason.label().as_str()]).inc_by(*count);
                }
            }
            banks.packets.with_label_values(&[method]).inc_by(of_method().map(|p| p.packets).sum());
            let cards = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            let functions = of_method().map(|progress| progress.function_cards).sum();
            let skills = of_method().map(|progress| progress.skill_cards).sum();
            banks.cards.with_label_values(&[method, "function"]).set(cards(functions));
            banks.cards.with_label_values(&[method, "skill"]).set(cards(skills));
        }
    }

    fn set_log(&self, core: &Core) {
        let doors = &self.0.definitions.doors;
        let (appends, requests) = core.load();
        doors.appends.reset();
        doors.requests.reset();
        doors.appends.with_label_values::<&str>(&[]).inc_by(appends);
        doors.requests.with_label_values::<&str>(&[]).inc_by(requests);
    }
}

/// Why there is no text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScrapeError {
    /// The core did not answer.
    #[error(transparent)]
    Core(#[from] AskError),
    /// A metric cannot be written.
    #[error("cannot write the metrics as text")]
    Text(#[from] prometheus::Error),
}
