//! A coordinator's run as people and scripts read it.

use palaestra_domain::{Digest, NanoUsd, Tally};
use palaestra_proto::v1::RunStatus;
use serde::Serialize;

use crate::output::table;

/// A run's status, for scripts.
#[derive(Debug, Serialize)]
pub struct Status {
    run: String,
    tenant: String,
    class: String,
    weight: u32,
    /// Whether units are handed out.
    phase: String,
    /// What the bank is at: `gathering`, `curating`, `frozen`, `stalled`, `cancelled`.
    curation: String,
    /// Why it stalled.
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    /// Function Cards asked for and packets curated, while the banks are built.
    curation_done: u32,
    curation_total: u32,
    packets: u32,
    /// The frozen bank's hash.
    bank: Option<String>,
    workers: u32,
    units_waiting: u32,
    units_leased: u32,
    units_committed: u32,
    units_unresolved: u32,
    trajectories: u32,
    trajectories_done: u32,
    passed: u32,
    failed: u32,
    no_result: u32,
    unresolved: u32,
    deltas: u32,
    accepted: u32,
    rejected: u32,
    function_cards: u32,
    skill_cards: u32,
    spent_nano_usd: u64,
    spent_tokens: u64,
    held_nano_usd: u64,
    held_tokens: u64,
    budget_nano_usd: Option<u64>,
    budget_tokens: Option<u64>,
    may_have_billed: u64,
    replays: u64,
    divergences: u64,
    tokens_saved: u64,
    calls: Vec<Calls>,
    seconds: Vec<Seconds>,
}

#[derive(Debug, Serialize)]
struct Calls {
    role: String,
    model: String,
    calls: u64,
    nano_usd: u64,
    tokens: u64,
}

#[derive(Debug, Serialize)]
struct Seconds {
    what: String,
    seconds: f64,
}

impl From<RunStatus> for Status {
    fn from(status: RunStatus) -> Self {
        let curation = status.curation.unwrap_or_default();
        let units = status.units.unwrap_or_default();
        let tally: Tally = status.tally.unwrap_or_default().into();
        let acceptance = status.acceptance.unwrap_or_default();
        let (spent, held) = (status.spent.unwrap_or_default(), status.held.unwrap_or_default());
        let limits = status.limits.unwrap_or_default();
        let call = |call: palaestra_proto::v1::CallCount| {
            let spent = call.spent.unwrap_or_default();
            let (nano_usd, tokens) = (spent.nano_usd, spent.tokens);
            Calls { role: call.role, model: call.model, calls: call.calls, nano_usd, tokens }
        };
        let bank = palaestra_proto::convert::digest("bank", &curation.bank);
        Self {
            run: status.run,
            tenant: status.tenant,
            class: status.class,
            weight: status.weight,
            phase: status.phase,
            curation: curation.phase,
            message: curation.message,
            curation_done: curation.done,
            curation_total: curation.total,
            packets: acceptance.packets,
            bank: bank.ok().as_ref().map(Digest::to_string),
            workers: status.workers,
            units_waiting: units.waiting,
            units_leased: units.leased,
            units_committed: units.committed,
            units_unresolved: units.unresolved,
            trajectories: status.requested,
            trajectories_done: tally.total(),
            passed: tally.passed,
            failed: tally.failed,
            no_result: tally.no_result,
            unresolved: tally.unresolved,
            deltas: acceptance.deltas,
            accepted: acceptance.accepted,
            rejected: acceptance.rejected,
            function_cards: acceptance.function_cards,
            skill_cards: acceptance.skill_cards,
            spent_nano_usd: spent.nano_usd,
            spent_tokens: spent.tokens,
            held_nano_usd: held.nano_usd,
            held_tokens: held.tokens,
            budget_nano_usd: limits.nano_usd,
            budget_tokens: limits.tokens,
            may_have_billed: status.may_have_billed,
            replays: status.replays,
            divergences: status.divergences,
            tokens_saved: status.tokens_saved,
            calls: status.calls.into_iter().map(call).collect(),
            seconds: status
                .time
                .into_iter()
                .map(|time| Seconds { what: time.what, seconds: time.ms as f64 / 1_000.0 })
                .collect(),
        }
    }
}

impl Status {
    /// What the run is at, in one word.
    fn stage(&self) -> &str {
        match (self.phase.as_str(), self.curation.as_str()) {
            ("active", _) => "running",
            (_, "frozen") => "frozen",
            ("finished", other) => other,
            (phase, _) => phase,
        }
    }

    fn workers_in_words(&self) -> String {
        if self.workers == 0 && self.units_waiting > 0 {
            return "none is connected: start some with `palaestra worker`".to_owned();
        }
        self.workers.to_string()
    }

    /// The status as text.
    #[must_use]
    pub fn human(&self) -> String {
        let money = |nano: u64| NanoUsd(nano).to_string();
        let of = |limit: Option<String>| limit.map_or_else(String::new, |limit| format!(" of {limit}"));
        let mut rows = vec![
            row("run", format!("{} ({}, {}, weight {})", self.run, self.tenant, self.class, self.weight)),
            row("stage", self.stage().replace('_', " ")),
            row("trajectories", format!("{} of {} done", self.trajectories_done, self.trajectories)),
            row(
                "outcomes",
                format!(
                    "{} passed, {} failed, {} no result, {} unresolved",
                    self.passed, self.failed, self.no_result, self.unresolved
                ),
            ),
            row(
                "units",
                format!(
                    "{} waiting, {} at work, {} done, {} unresolved",
                    self.units_waiting, self.units_leased, self.units_committed, self.units_unresolved
                ),
            ),
            row("workers", self.workers_in_words()),
            row("packets", self.packets.to_string()),
            row("acceptance", format!("{} of {} decisions", self.accepted, self.accepted + self.rejected)),
            row("cards", format!("{} Function Cards, {} Skill Cards", self.function_cards, self.skill_cards)),
            row("spent", format!("{}{}", money(self.spent_nano_usd), of(self.budget_nano_usd.map(money)))),
            row(
                "tokens",
                format!("{}{}", self.spent_tokens, of(self.budget_tokens.map(|tokens| tokens.to_string()))),
            ),
            row("may have billed", self.may_have_billed.to_string()),
            row("replayed", format!("{} calls, {} tokens saved", self.replays, self.tokens_saved)),
            row("divergences", self.divergences.to_string()),
        ];
        if self.curation_total > 0 {
            let done = format!("{} of {} cards and packets", self.curation_done, self.curation_total);
            rows.push(row("curation", done));
        }
        let spent = |time: &Seconds| row(&time.what, format!("{:.1} s over all", time.seconds));
        rows.extend(self.seconds.iter().map(spent));
        rows.extend(self.bank.iter().map(|bank| row("bank", bank.clone())));
        if !self.message.is_empty() {
            rows.push(row("stalled", self.message.clone()));
        }
        let mut text = table(&["", ""], &rows).lines().skip(1).collect::<Vec<_>>().join("\n");
        text.push('\n');
        if !self.calls.is_empty() {
            let rows: Vec<Vec<String>> = self.calls.iter().map(Calls::row).collect();
            text.push_str(&format!("\n{}", table(&["role", "model", "calls", "tokens", "cost"], &rows)));
        }
        text
    }
}

impl Calls {
    fn row(&self) -> Vec<String> {
        vec![
            self.role.clone(),
            self.model.clone(),
            self.calls.to_string(),
            self.tokens.to_string(),
            NanoUsd(self.nano_usd).to_string(),
        ]
    }
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}

/// Several runs, one line each.
#[must_use]
pub fn list(runs: &[Status]) -> String {
    let line = |status: &Status| {
        vec![
            status.run.clone(),
            status.tenant.clone(),
            status.stage().to_owned(),
            format!("{}/{}", status.trajectories_done, status.trajectories),
            status.unresolved.to_string(),
            NanoUsd(status.spent_nano_usd).to_string(),
            status.bank.as_deref().map_or("-", |bank| bank.get(..12).unwrap_or(bank)).to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = runs.iter().map(line).collect();
    table(&["run", "tenant", "stage", "trajectories", "unresolved", "spent", "bank"], &rows)
}
