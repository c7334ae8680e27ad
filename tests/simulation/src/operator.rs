//! The operator: hands in runs, pauses and cancels them, and asks again until answered.

use std::collections::BTreeMap;

use palaestra_coordinator::Answer;
use palaestra_coordinator::state::{Command, Refusal, RunSpec};
use palaestra_domain::{BudgetLimits, RunName};

use crate::workload::Order;

/// How long an answer is waited for, in milliseconds.
const PATIENCE: u64 = 2_000;

/// Whoever asks for runs.
#[derive(Debug)]
pub struct Operator {
    orders: Vec<Order>,
    /// By the order's place: when it was sent last.
    sent: BTreeMap<usize, u64>,
    /// By request: the order's place.
    asked: BTreeMap<u64, usize>,
    done: Vec<usize>,
    resumed_at: u64,
}

impl Operator {
    pub fn new(orders: Vec<Order>) -> Self {
        Self { orders, sent: BTreeMap::new(), asked: BTreeMap::new(), done: Vec::new(), resumed_at: 0 }
    }

    /// Whether every order is carried out.
    pub fn is_done(&self) -> bool {
        self.done.len() == self.orders.len()
    }

    /// What is to be sent now, with its order's place.
    pub fn look(&mut self, now: u64, calm: bool) -> Vec<(Option<usize>, Command)> {
        let mut commands = Vec::new();
        for (place, order) in self.orders.iter().enumerate() {
            let waits = self.sent.get(&place).is_some_and(|sent| now < sent.saturating_add(PATIENCE));
            if order.at <= now && !waits && !self.done.contains(&place) {
                self.sent.insert(place, now);
                commands.push((Some(place), order.command.clone()));
            }
        }
        // A late duplicate may have paused a run for good, and a budget may be used up; somebody would
        // notice.
        if calm && now >= self.resumed_at.saturating_add(5_000) {
            self.resumed_at = now;
            for (run, spec) in self.runs() {
                let spec = RunSpec { budget: BudgetLimits::default(), ..spec.clone() };
                commands.push((None, Command::Submit { run: run.clone(), spec, units: Vec::new() }));
                commands.push((None, Command::Resume { run: run.clone() }));
            }
        }
        commands
    }

    fn runs(&self) -> impl Iterator<Item = (&RunName, &RunSpec)> {
        self.orders.iter().filter_map(|order| match &order.command {
            Command::Submit { run, spec, .. } => Some((run, spec)),
            _ => None,
        })
    }

    /// An order was sent.
    pub fn asked(&mut self, place: Option<usize>, request: u64) {
        if let Some(place) = place {
            self.asked.insert(request, place);
        }
    }

    /// Hears an answer. A run that is not known yet is asked about again.
    pub fn hear(&mut self, request: u64, answer: &Result<Answer, Refusal>) {
        if matches!(answer, Err(Refusal::UnknownRun { .. })) {
            return;
        }
        if let Some(place) = self.asked.remove(&request)
            && !self.done.contains(&place)
        {
            self.done.push(place);
        }
    }
}
