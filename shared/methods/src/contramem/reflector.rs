//! Reflector (§3.3, appendix B.4): at most three candidate deltas from one packet and the cards
//! that are relevant to it, each checked before anything is edited.

use std::collections::BTreeSet;

use palaestra_domain::packet::PacketView;
use palaestra_domain::{Bank, FunctionName, Profile, Rejection, SkillCard, SkillDelta};
use palaestra_memory::validate::{DeltaContext, PrivacyRules, validate_delta};

use super::construct::Construction;
use super::error::Error;
use super::focus;
use super::model::{Reflection, Reply};
use super::retrieval;

/// What the Reflector said about a packet, and what it had been shown.
pub struct Reflected {
    /// The deltas, or why there are none.
    pub reply: Reply<Vec<SkillDelta>>,
    /// R_i, the cards that it was shown.
    pub relevant: Vec<SkillCard>,
}

/// Asks for the deltas of one packet.
///
/// # Errors
/// [`Error`] when the model cannot be asked.
pub async fn reflect(
    construction: &Construction,
    scope: &str,
    packet: &PacketView,
    bank: &Bank,
) -> Result<Reflected, Error> {
    let settings = &construction.settings;
    let relevant = retrieval::for_packet(bank, packet, settings.reflector_cards);
    let question = Reflection {
        packet,
        relevant: &relevant,
        focus: focus::block(&packet.ability, packet.task_signature),
        max_deltas: settings.max_deltas,
    };
    let reply = construction.model.reflect(&format!("{scope}/reflect"), &question).await?;
    Ok(Reflected { reply, relevant })
}

/// Levels 1 and 2 of Π_V for one delta.
#[must_use]
pub fn check(
    construction: &Construction,
    packet: &PacketView,
    relevant: &[SkillCard],
    privacy: &PrivacyRules,
    delta: &SkillDelta,
) -> Vec<Rejection> {
    let mut observed: BTreeSet<FunctionName> = functions_of(packet);
    observed.extend(relevant.iter().flat_map(|card| card.content.functions_used.iter().cloned()));
    let profile = construction.settings.profile;
    let context = DeltaContext {
        limits: profile.limits(),
        contrast: packet.contrast,
        signature: (profile == Profile::CodeCells).then_some(packet.task_signature),
        known: &construction.known,
        observed: &observed,
        privacy,
    };
    validate_delta(delta, &context)
}

/// The functions that the packet's runs called and that exist.
fn functions_of(packet: &PacketView) -> BTreeSet<FunctionName> {
    let actions = packet.runs.iter().flat_map(|run| &run.spans).flat_map(|span| &span.actions);
    actions.filter(|action| !action.unknown).filter_map(|action| action.function.clone()).collect()
}
