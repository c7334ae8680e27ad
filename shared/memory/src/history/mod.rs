//! The history of a bank: every decision as an event, the bank as their fold (§3.3, appendix A.8).
//! Provenance lives here, beside the bank and never in it.

mod blame;
mod event;
mod fold;

#[cfg(test)]
mod tests;

pub use blame::{BlameEntry, blame};
pub use event::{BANK_EVENT_FORMAT, BankEvent, ConstructionRole, PacketRef, Verdict};
pub use fold::{fold, generators};
