//! Where a card comes from: every event that touched it or a card that was merged into it.

use std::collections::BTreeSet;

use palaestra_domain::CardId;

use super::event::{BankEvent, Verdict};

/// One step of a card's lineage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlameEntry<'e> {
    /// Index of the event in the history.
    pub position: usize,
    /// The event; an applied decision holds the cards before and after.
    pub event: &'e BankEvent,
}

/// The lineage of a card, oldest step first. A card that was merged away ends with that merge. An id
/// made from equal content in two abilities has one lineage over both.
#[must_use]
pub fn blame<'e>(events: &'e [BankEvent], card: &CardId) -> Vec<BlameEntry<'e>> {
    let mut wanted = BTreeSet::from([card]);
    let mut steps = Vec::new();
    // Backwards, so that the ancestors of a merge are known before their own events come up.
    for (position, event) in events.iter().enumerate().rev() {
        let touches = match event {
            BankEvent::FunctionCardAdded { card: added, .. } => added.card_id == *card,
            BankEvent::FunctionCardRejected { function, .. } => {
                format!("function::{function}") == card.as_str()
            }
            BankEvent::CuratorDecided {
                verdict: Verdict::Applied { before, after: Some(after) }, ..
            } => {
                let becomes = wanted.contains(&after.card_id);
                if becomes {
                    wanted.extend(before.iter().map(|old| &old.card_id));
                }
                becomes || before.iter().any(|old| old.card_id == *card)
            }
            _ => false,
        };
        if touches {
            steps.push(BlameEntry { position, event });
        }
    }
    steps.reverse();
    steps
}
