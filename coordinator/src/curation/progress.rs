//! What curation has made of a run so far, read from its streams step by step: each look reads only
//! what has come since the last.

use std::collections::BTreeMap;

use palaestra_domain::{Operation, Rejection, RejectionReason, RunName};
use palaestra_memory::history::{BankEvent, Verdict};
use palaestra_methods::contramem::construct::bank_streams;
use palaestra_methods::contramem::run::{RunEvent, run_stream};
use palaestra_store::{Store, StreamName};

/// A run's curation in numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    /// Contrast packets that were built.
    pub(crate) packets: u64,
    /// Deltas that the Reflector proposed.
    pub(crate) deltas: u64,
    /// Curator decisions that were applied, by operation.
    pub(crate) operations: BTreeMap<Operation, u64>,
    /// Deltas and patches that were turned away.
    pub(crate) rejected: u64,
    /// Everything that was turned away, by its first reason.
    pub(crate) rejections: BTreeMap<RejectionReason, u64>,
    /// Function Cards in the bank.
    pub(crate) function_cards: u64,
    /// Skill Cards in the bank.
    pub(crate) skill_cards: u64,
    /// How far each stream is read.
    read: BTreeMap<StreamName, u64>,
    /// Nothing more will come.
    frozen: bool,
}

/// Why a stream could not be read.
type Unread = Box<dyn std::error::Error + Send + Sync>;

impl Progress {
    /// Decisions that changed the bank.
    pub(crate) fn accepted(&self) -> u64 {
        let changes = self.operations.iter().filter(|(operation, _)| **operation != Operation::Noop);
        changes.map(|(_, count)| *count).sum()
    }

    /// Reads what has come since the last time.
    ///
    /// # Errors
    /// When a stream cannot be read; what was read before it counts.
    pub(crate) async fn catch_up(&mut self, store: &dyn Store, run: &RunName) -> Result<(), Unread> {
        if self.frozen {
            return Ok(());
        }
        let own = run_stream(run)?;
        for event in self.news(store, &own).await? {
            if let RunEvent::PacketBuilt { .. } = serde_json::from_slice(&event)? {
                self.packets = self.packets.saturating_add(1);
            }
        }
        for stream in store.streams(&bank_streams::prefix(run)).await? {
            for event in self.news(store, &stream).await? {
                self.count(&BankEvent::from_json(std::str::from_utf8(&event)?)?);
            }
        }
        Ok(())
    }

    async fn news(&mut self, store: &dyn Store, stream: &StreamName) -> Result<Vec<Vec<u8>>, Unread> {
        let from = self.read.get(stream).copied().unwrap_or(0);
        let events = store.read(stream, from).await?;
        if let Some(last) = events.last() {
            self.read.insert(stream.clone(), last.position.saturating_add(1));
        }
        Ok(events.into_iter().map(|event| event.bytes).collect())
    }

    fn count(&mut self, event: &BankEvent) {
        match event {
            BankEvent::FunctionCardAdded { dropped, .. } => {
                self.function_cards = self.function_cards.saturating_add(1);
                dropped.iter().for_each(|claim| self.reject(std::slice::from_ref(claim)));
            }
            BankEvent::FunctionCardRejected { rejections, .. }
            | BankEvent::AnswerRejected { rejections, .. } => {
                self.reject(rejections);
            }
            BankEvent::DeltaRejected { rejections, .. }
            | BankEvent::CuratorDecided { verdict: Verdict::Rejected { rejections }, .. } => {
                self.rejected = self.rejected.saturating_add(1);
                self.reject(rejections);
            }
            BankEvent::CuratorDecided { patch, verdict: Verdict::Applied { before, after }, .. } => {
                let count = self.operations.entry(patch.operation).or_default();
                *count = count.saturating_add(1);
                if after.is_some() {
                    let gone = u64::try_from(before.len()).unwrap_or(u64::MAX);
                    self.skill_cards = self.skill_cards.saturating_add(1).saturating_sub(gone);
                }
            }
            BankEvent::PacketCurated { deltas, .. } => {
                self.deltas = self.deltas.saturating_add(u64::try_from(*deltas).unwrap_or(u64::MAX));
            }
            BankEvent::BankFrozen { .. } => self.frozen = true,
        }
    }

    fn reject(&mut self, rejections: &[Rejection]) {
        if let Some(first) = rejections.first() {
            let count = self.rejections.entry(first.reason).or_default();
            *count = count.saturating_add(1);
        }
    }
}
