//! What happens to a bank. Rejections are events too: counted, kept with their input, visible.

use palaestra_domain::{
    Ability, CuratorPatch, Digest, FunctionCard, FunctionName, Rejection, SkillCard, SkillDelta, TaskId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::freeze::{BankCounts, refuse_newer};

/// The version of the serialised events; a reader refuses a newer one.
pub const BANK_EVENT_FORMAT: u32 = 1;

/// The packet that a decision goes back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketRef {
    /// Where the packet rests.
    pub digest: Digest,
    /// Its task.
    pub task: TaskId,
    /// The task's scenario, for `exclude_generator_ids`.
    pub scenario: String,
}

/// Who of the construction models gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstructionRole {
    /// The Function Card Builder.
    Builder,
    /// The Reflector.
    Reflector,
    /// The Curator.
    Curator,
}

/// What became of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// The bank was edited (NOOP: left as it was on purpose).
    Applied {
        /// The targeted cards as they were.
        before: Vec<SkillCard>,
        /// The card that entered; none for NOOP.
        after: Option<Box<SkillCard>>,
    },
    /// The bank was not edited.
    Rejected {
        /// Why not.
        rejections: Vec<Rejection>,
    },
}

/// One event of a bank's history. `calls` are the digests of the model calls behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum BankEvent {
    /// A Function Card entered.
    FunctionCardAdded {
        /// The card.
        card: Box<FunctionCard>,
        /// The function's evidence.
        evidence: Digest,
        /// Claims that were taken out, since the documentation makes them already.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dropped: Vec<Rejection>,
        /// The calls.
        calls: Vec<Digest>,
    },
    /// A Function Card was left out.
    FunctionCardRejected {
        /// The function that the card was asked for; the card itself may name another.
        function: FunctionName,
        /// The card.
        card: Box<FunctionCard>,
        /// The function's evidence.
        evidence: Digest,
        /// Why.
        rejections: Vec<Rejection>,
        /// The calls.
        calls: Vec<Digest>,
    },
    /// An answer could not be read as what the contract asks for.
    AnswerRejected {
        /// Who gave it.
        role: ConstructionRole,
        /// The function that it was about, for the builder.
        function: Option<FunctionName>,
        /// The bank that it was about, for the others.
        ability: Option<Ability>,
        /// The packet that it was about, for the others.
        packet: Option<PacketRef>,
        /// The delta that it was about, for the Curator.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delta: Option<Box<SkillDelta>>,
        /// The answer as it came.
        answer: String,
        /// Why.
        rejections: Vec<Rejection>,
        /// The calls.
        calls: Vec<Digest>,
    },
    /// A delta was left out before curation.
    DeltaRejected {
        /// The bank.
        ability: Ability,
        /// The packet.
        packet: PacketRef,
        /// The delta.
        delta: Box<SkillDelta>,
        /// Why.
        rejections: Vec<Rejection>,
        /// The calls.
        calls: Vec<Digest>,
    },
    /// The Curator decided on a delta.
    CuratorDecided {
        /// The bank.
        ability: Ability,
        /// The packet.
        packet: PacketRef,
        /// The delta.
        delta: Box<SkillDelta>,
        /// The decision, with its reason.
        patch: Box<CuratorPatch>,
        /// What became of it.
        #[serde(flatten)]
        verdict: Verdict,
        /// The calls.
        calls: Vec<Digest>,
    },
    /// A packet is done: everything that it brought about stands before this event, in one commit.
    PacketCurated {
        /// The bank.
        ability: Ability,
        /// The packet.
        packet: PacketRef,
        /// How many deltas the Reflector proposed.
        deltas: usize,
    },
    /// The bank is final.
    BankFrozen {
        /// Its content hash.
        digest: Digest,
        /// Its size.
        counts: BankCounts,
    },
}

/// An event with the version of its form.
#[derive(Serialize)]
struct Written<'e> {
    format: u32,
    #[serde(flatten)]
    event: &'e BankEvent,
}

impl BankEvent {
    /// The event as canonical JSON, with its format version.
    ///
    /// # Errors
    /// [`Error::Domain`] when it cannot be serialised.
    pub fn to_json(&self) -> Result<String, Error> {
        let written = Written { format: BANK_EVENT_FORMAT, event: self };
        Ok(palaestra_domain::canonical::to_json("bank event", &written)?)
    }

    /// Reads what [`Self::to_json`] wrote.
    ///
    /// # Errors
    /// [`Error::NewerFormat`] for an event of a newer program, [`Error::Json`] for other text.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let json = |source| Error::Json { what: "bank event", source };
        let value: Value = serde_json::from_str(text).map_err(json)?;
        refuse_newer("bank event", &value, BANK_EVENT_FORMAT)?;
        serde_json::from_value(value).map_err(json)
    }
}
