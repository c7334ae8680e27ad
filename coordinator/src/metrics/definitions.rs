//! Every metric of the coordinator, defined once. `docs/metrics.md` is their table.

use prometheus::{CounterVec, GaugeVec, Histogram, IntCounterVec, IntGaugeVec};

use super::shelf::Shelf;
use crate::error::Error;

/// Upper bounds of the time of a durable append, in seconds.
const APPEND_SECONDS: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// All metrics, by what they are about.
pub(super) struct Definitions {
    pub(super) shelf: Shelf,
    pub(super) work: Work,
    pub(super) calls: Calls,
    pub(super) journal: Journal,
    pub(super) banks: Banks,
    pub(super) doors: Doors,
}

impl Definitions {
    pub(super) fn new() -> Result<Self, Error> {
        let shelf = Shelf::default();
        let (work, calls) = (Work::new(&shelf)?, Calls::new(&shelf)?);
        let journal = Journal::new(&shelf)?;
        let (banks, doors) = (Banks::new(&shelf)?, Doors::new(&shelf)?);
        Ok(Self { shelf, work, calls, journal, banks, doors })
    }
}

/// Units, leases, workers.
pub(super) struct Work {
    pub(super) units: IntGaugeVec,
    pub(super) queue: IntGaugeVec,
    pub(super) runs: IntGaugeVec,
    pub(super) leases: IntGaugeVec,
    pub(super) workers: IntGaugeVec,
    pub(super) slots: IntGaugeVec,
    pub(super) attempts: IntCounterVec,
    pub(super) granted: IntCounterVec,
    pub(super) expired: IntCounterVec,
    pub(super) revoked: IntCounterVec,
    pub(super) stale: IntCounterVec,
    pub(super) retries: IntCounterVec,
}

impl Work {
    fn new(shelf: &Shelf) -> Result<Self, Error> {
        Ok(Self {
            units: shelf.gauge("palaestra_units", "Units of all runs by state.", &["class", "state"])?,
            queue: shelf.gauge(
                "palaestra_queue_depth",
                "Units of active runs that wait for a worker, resting ones included.",
                &["class"],
            )?,
            runs: shelf.gauge("palaestra_runs", "Runs by phase.", &["class", "state"])?,
            leases: shelf.gauge("palaestra_leases", "Units that workers hold.", &[])?,
            workers: shelf.gauge("palaestra_workers", "Workers that are known to live.", &["state"])?,
            slots: shelf.gauge(
                "palaestra_worker_slots",
                "Slots of all workers.",
                &["environment", "state"],
            )?,
            attempts: shelf.counter(
                "palaestra_attempts_total",
                "Attempts of units that have ended, by outcome.",
                &["class", "outcome"],
            )?,
            granted: shelf.counter("palaestra_leases_granted_total", "Units handed out.", &[])?,
            expired: shelf.counter("palaestra_leases_expired_total", "Leases that ran out.", &[])?,
            revoked: shelf.counter("palaestra_leases_revoked_total", "Leases that were taken back.", &[])?,
            stale: shelf.counter(
                "palaestra_stale_messages_total",
                "Messages of old leases that were refused, late results included.",
                &[],
            )?,
            retries: shelf.counter(
                "palaestra_unit_retries_total",
                "Units that wait again, by the retry budget that paid.",
                &["reason"],
            )?,
        })
    }
}

/// Answered model calls.
pub(super) struct Calls {
    pub(super) calls: IntCounterVec,
    pub(super) tokens: IntCounterVec,
    pub(super) cost: CounterVec,
    pub(super) unpriced: IntCounterVec,
    pub(super) retries: IntCounterVec,
    pub(super) lost: IntCounterVec,
    pub(super) waited: CounterVec,
}

impl Calls {
    fn new(shelf: &Shelf) -> Result<Self, Error> {
        let by_model = &["role", "model"];
        Ok(Self {
            calls: shelf.counter(
                "palaestra_model_calls_total",
                "Answered model calls, by why the model stopped.",
                &["role", "model", "outcome"],
            )?,
            tokens: shelf.counter(
                "palaestra_model_tokens_total",
                "Tokens of answered calls; the kinds overlap as described in docs/metrics.md.",
                &["role", "model", "kind"],
            )?,
            cost: shelf.amount("palaestra_model_cost_usd_total", "Cost of answered calls.", by_model)?,
            unpriced: shelf.counter(
                "palaestra_model_unpriced_calls_total",
                "Answered calls whose price is not known.",
                by_model,
            )?,
            retries: shelf.counter(
                "palaestra_model_retries_total",
                "Failed attempts before an answer, by class of error.",
                &["model", "reason"],
            )?,
            lost: shelf.counter(
                "palaestra_model_lost_attempts_total",
                "Failed attempts before an answer that may have been billed.",
                &["model"],
            )?,
            waited: shelf.amount(
                "palaestra_limiter_wait_seconds_total",
                "Time that answered calls waited for a rate limit.",
                &["model"],
            )?,
        })
    }
}

/// The journal of those calls, and runs' budgets.
pub(super) struct Journal {
    pub(super) replays: IntCounterVec,
    pub(super) tokens_saved: IntCounterVec,
    pub(super) divergences: IntCounterVec,
    pub(super) may_have_billed: IntCounterVec,
    pub(super) spent_usd: CounterVec,
    pub(super) spent_tokens: IntCounterVec,
    pub(super) held_usd: GaugeVec,
    pub(super) append: Histogram,
}

impl Journal {
    fn new(shelf: &Shelf) -> Result<Self, Error> {
        Ok(Self {
            replays: shelf.counter(
                "palaestra_journal_replays_total",
                "Calls that the journal had an answer for.",
                &[],
            )?,
            tokens_saved: shelf.counter(
                "palaestra_journal_tokens_saved_total",
                "Tokens that replayed calls did not cost again.",
                &[],
            )?,
            divergences: shelf.counter(
                "palaestra_journal_divergences_total",
                "Announced calls that ask something else than an earlier execution did.",
                &[],
            )?,
            may_have_billed: shelf.counter(
                "palaestra_may_have_billed_total",
                "Attempts that were announced and never answered, over all runs.",
                &[],
            )?,
            spent_usd: shelf.amount(
                "palaestra_budget_spent_usd_total",
                "What counts as spent in runs' budgets, lost attempts at their most included.",
                &["class"],
            )?,
            spent_tokens: shelf.counter(
                "palaestra_budget_spent_tokens_total",
                "Tokens that count as spent in runs' budgets.",
                &["class"],
            )?,
            held_usd: shelf.level("palaestra_budget_held_usd", "Held for calls under way.", &["class"])?,
            append: shelf.histogram(
                "palaestra_journal_append_seconds",
                "From an answer's arrival until it is durable and settled.",
                APPEND_SECONDS,
            )?,
        })
    }
}

/// Curation.
pub(super) struct Banks {
    pub(super) decisions: IntCounterVec,
    pub(super) rejections: IntCounterVec,
    pub(super) cards: IntGaugeVec,
    pub(super) packets: IntCounterVec,
}

impl Banks {
    fn new(shelf: &Shelf) -> Result<Self, Error> {
        Ok(Self {
            decisions: shelf.counter(
                "palaestra_curator_decisions_total",
                "Curator decisions that were applied.",
                &["method", "operation"],
            )?,
            rejections: shelf.counter(
                "palaestra_rejections_total",
                "Cards, deltas, patches and answers that were turned away, by their first reason.",
                &["method", "reason"],
            )?,
            cards: shelf.gauge("palaestra_bank_cards", "Cards in all runs' banks.", &["method", "kind"])?,
            packets: shelf.counter(
                "palaestra_packets_total",
                "Contrast packets that were built.",
                &["method"],
            )?,
        })
    }
}

/// The coordinator's own doors and log.
pub(super) struct Doors {
    pub(super) refusals: IntCounterVec,
    pub(super) streams: IntGaugeVec,
    pub(super) appends: IntCounterVec,
    pub(super) requests: IntCounterVec,
    pub(super) leads: IntGaugeVec,
}

impl Doors {
    fn new(shelf: &Shelf) -> Result<Self, Error> {
        Ok(Self {
            refusals: shelf.counter(
                "palaestra_refusals_total",
                "Calls and messages that were refused.",
                &["reason"],
            )?,
            streams: shelf.gauge("palaestra_work_streams", "Workers that are connected.", &[])?,
            appends: shelf.counter(
                "palaestra_log_appends_total",
                "Batches that the coordinator decided.",
                &[],
            )?,
            requests: shelf.counter(
                "palaestra_log_requests_total",
                "Requests in those batches; divided by the batches, how many share an append.",
                &[],
            )?,
            leads: shelf.gauge("palaestra_leads", "1 while this coordinator leads.", &[])?,
        })
    }
}
