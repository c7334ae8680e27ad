//! What a validator may look at; everything is borrowed from the caller.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::packet::ContrastKind;
use palaestra_domain::profile::CardLimits;
use palaestra_domain::task::TaskSignature;
use palaestra_domain::{Ability, Bank, CardId, FunctionCard, FunctionEvidence, FunctionName};

use super::preview::Probe;
use super::privacy::PrivacyRules;
use crate::retrieve::RetrievalParams;

/// The grounds of a Function Card.
#[derive(Debug, Clone, Copy)]
pub struct FunctionContext<'a> {
    /// Field limits of the profile.
    pub limits: CardLimits,
    /// What was seen of the function.
    pub evidence: &'a FunctionEvidence,
    /// The functions that the environment has.
    pub known: &'a BTreeSet<FunctionName>,
    /// What must not be in a card.
    pub privacy: &'a PrivacyRules,
}

/// The grounds of a Skill Delta.
#[derive(Debug, Clone, Copy)]
pub struct DeltaContext<'a> {
    /// Field limits of the profile.
    pub limits: CardLimits,
    /// The kind of contrast that the packet makes.
    pub contrast: ContrastKind,
    /// The signature that must stand among the tags (AppWorld); none elsewhere.
    pub signature: Option<TaskSignature>,
    /// The functions that the environment has.
    pub known: &'a BTreeSet<FunctionName>,
    /// The functions seen in the packet or named by the cards that were shown with it.
    pub observed: &'a BTreeSet<FunctionName>,
    /// What must not be in a card.
    pub privacy: &'a PrivacyRules,
}

/// The grounds of a Curator Patch.
#[derive(Debug, Clone, Copy)]
pub struct PatchContext<'a> {
    /// Field limits of the profile.
    pub limits: CardLimits,
    /// The kind of contrast of the packet that the delta comes from.
    pub contrast: ContrastKind,
    /// The functions that the environment has.
    pub known: &'a BTreeSet<FunctionName>,
    /// The bank before the edit.
    pub bank: &'a Bank,
    /// The ability whose bank is edited.
    pub ability: &'a Ability,
    /// The Function Cards that the Curator was shown.
    pub function_cards: &'a [&'a FunctionCard],
    /// What must not be in a card.
    pub privacy: &'a PrivacyRules,
    /// The third level; none where no queries are known.
    pub preview: Option<PreviewContext<'a>>,
}

/// The queries of the retrieval preview.
#[derive(Debug, Clone, Copy)]
pub struct PreviewContext<'a> {
    /// The scenario of the packet that the delta comes from.
    pub scenario: &'a str,
    /// Per card, the scenarios that its evidence comes from (see [`crate::history::generators`]).
    pub generators: &'a BTreeMap<CardId, BTreeSet<String>>,
    /// Queries to try: the packet's own task and others, held out or not.
    pub probes: &'a [Probe<'a>],
    /// Retrieval as it will be at runtime.
    pub params: RetrievalParams,
    /// How many best cards count as retrieved (see [`super::preview::DEPTH`]).
    pub depth: usize,
}
