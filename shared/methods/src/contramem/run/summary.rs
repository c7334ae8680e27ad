//! A run in numbers: a view of its events, for people and scripts.

use std::collections::BTreeMap;

use palaestra_domain::packet::ContrastKind;
use palaestra_domain::{Digest, Outcome, Rejection, RejectionReason};
use palaestra_memory::history::{BankEvent, ConstructionRole, Verdict};
use serde::Serialize;

use super::event::RunEvent;
use super::view::RunView;

/// What became of one source's attempts. Requested = passed + failed + no result + unresolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SourceTally {
    /// Attempts.
    pub requested: usize,
    /// The verifier said yes.
    pub passed: usize,
    /// The verifier said no.
    pub failed: usize,
    /// Nothing to grade; counts as not passed.
    pub no_result: usize,
    /// Infrastructure failed; says nothing about the source.
    pub unresolved: usize,
}

impl SourceTally {
    /// Counts one attempt.
    pub fn count(&mut self, outcome: &Outcome) {
        self.requested += 1;
        match outcome {
            Outcome::Scored { passed: true, .. } => self.passed += 1,
            Outcome::Scored { passed: false, .. } => self.failed += 1,
            Outcome::NoResult { .. } => self.no_result += 1,
            Outcome::Unresolved { .. } => self.unresolved += 1,
        }
    }

    /// Counts attempts of which nothing is known.
    fn count_unresolved(&mut self, attempts: u32) {
        self.requested += attempts as usize;
        self.unresolved += attempts as usize;
    }
}

/// A run in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The run.
    pub run: String,
    /// Recorded attempts.
    pub trajectories: usize,
    /// Records and files that could not be imported.
    pub refused: usize,
    /// Tasks that ended without a result; their attempts count as unresolved.
    pub gave_up: usize,
    /// Per source.
    pub sources: BTreeMap<String, SourceTally>,
    /// Tasks that are only measured.
    pub held_out_tasks: usize,
    /// Packets by kind of contrast.
    pub packets: BTreeMap<ContrastKind, usize>,
    /// Deltas that the Reflector proposed.
    pub deltas: usize,
    /// Function Cards in the bank.
    pub function_cards: usize,
    /// Skill Cards in the bank, per ability.
    pub skill_cards: BTreeMap<String, usize>,
    /// Curator decisions that were applied, by operation.
    pub decisions: BTreeMap<String, usize>,
    /// What was turned away, by stage (`function card`, `claim`, `delta`, `patch`, `... answer`) and reason.
    /// One turned-away piece may have several reasons; the first one counts it.
    pub rejections: BTreeMap<&'static str, BTreeMap<RejectionReason, usize>>,
    /// The bank's hash, once it is frozen.
    pub bank: Option<Digest>,
}

impl Summary {
    /// Counts a run.
    #[must_use]
    pub fn of(view: &RunView) -> Self {
        let mut summary = Self { run: view.name.to_string(), ..Self::default() };
        view.events.iter().for_each(|event| summary.run_event(event));
        view.history.iter().for_each(|event| summary.bank_event(event));
        summary
    }

    fn run_event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Started { .. } => (self.refused, self.held_out_tasks) = (0, 0),
            RunEvent::Refused(_) => self.refused += 1,
            RunEvent::Attempted { source, outcome, .. } => {
                self.trajectories += 1;
                self.sources.entry(source.to_string()).or_default().count(outcome);
            }
            RunEvent::Planned { held_out, .. } => self.held_out_tasks = held_out.len(),
            RunEvent::PacketBuilt { contrast, .. } => *self.packets.entry(*contrast).or_default() += 1,
            RunEvent::GaveUp { attempts, .. } => {
                self.gave_up += 1;
                for (source, count) in attempts {
                    self.sources.entry(source.to_string()).or_default().count_unresolved(*count);
                }
            }
            RunEvent::PacketsDone { .. } | RunEvent::Finished { .. } => {}
        }
    }

    fn bank_event(&mut self, event: &BankEvent) {
        match event {
            BankEvent::FunctionCardAdded { dropped, .. } => {
                self.function_cards += 1;
                dropped.iter().for_each(|claim| self.reject("claim", std::slice::from_ref(claim)));
            }
            BankEvent::FunctionCardRejected { rejections, .. } => self.reject("function card", rejections),
            BankEvent::AnswerRejected { role, rejections, .. } => {
                let stage = match role {
                    ConstructionRole::Builder => "builder answer",
                    ConstructionRole::Reflector => "reflector answer",
                    ConstructionRole::Curator => "curator answer",
                };
                self.reject(stage, rejections);
            }
            BankEvent::DeltaRejected { rejections, .. } => self.reject("delta", rejections),
            BankEvent::CuratorDecided { verdict: Verdict::Rejected { rejections }, .. } => {
                self.reject("patch", rejections);
            }
            BankEvent::CuratorDecided { patch, .. } => {
                *self.decisions.entry(patch.operation.as_str().to_owned()).or_default() += 1;
            }
            BankEvent::PacketCurated { deltas, .. } => self.deltas += deltas,
            BankEvent::BankFrozen { digest, counts } => {
                self.bank = Some(*digest);
                self.skill_cards = counts.skills.iter().map(|(a, n)| (a.to_string(), *n)).collect();
            }
        }
    }

    fn reject(&mut self, stage: &'static str, rejections: &[Rejection]) {
        if let Some(first) = rejections.first() {
            *self.rejections.entry(stage).or_default().entry(first.reason).or_default() += 1;
        }
    }
}
