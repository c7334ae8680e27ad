//! One ability's Skill Card bank S_a (algorithm 1, lines 13 to 22): packets in curriculum order,
//! one writer, one commit per packet.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::packet::ContrastKind;
use palaestra_domain::{Ability, Bank, CardId, Rejection, RejectionReason, SkillDelta};
use palaestra_memory::apply;
use palaestra_memory::history::{BankEvent, ConstructionRole, PacketRef, Verdict, fold, generators};
use palaestra_memory::validate::preview::DEPTH;
use palaestra_memory::validate::{PatchContext, PreviewContext, PrivacyRules, Probe, validate_patch};

use super::super::error::Error;
use super::super::model::Refused;
use super::super::stored_packet::StoredPacket;
use super::super::{curator, reflector};
use super::bank_log::{BankLog, bank_streams};
use super::context::{Construction, PacketEntry, Progress};
use super::probes::{self, HeldOutTask, ProbeData};

/// Curates all packets of one ability that are not curated yet.
///
/// # Errors
/// [`Error`] when the model or the store fails; what is not good enough is a counted rejection.
pub async fn build_skill_bank(
    construction: &Construction,
    ability: &Ability,
    packets: &[PacketEntry],
    held_out: &[HeldOutTask],
) -> Result<(), Error> {
    let functions = bank_streams::functions(&construction.run)?;
    let (_, mut events) = BankLog::open(construction.store.clone(), functions).await?;
    let (mut log, skills) =
        BankLog::open(construction.store.clone(), bank_streams::skills(&construction.run, ability)?).await?;
    let done = skills.iter().filter(|event| matches!(event, BankEvent::PacketCurated { .. })).count();
    events.extend(skills);
    let bank = fold(&events).map_err(|error| construction.broken(&error))?;
    let probes = probes::of_bank(construction, ability, packets, held_out).await?;
    let mut writer = Writer { construction, ability, bank, generators: generators(&events), probes };
    for (index, entry) in packets.iter().enumerate().skip(done) {
        let events = writer.packet(index, entry).await?;
        log.append(&events).await?;
        (construction.progress)(Progress::Packet(ability.clone()));
    }
    Ok(())
}

/// The bank as it grows, with what the next edit is judged by.
struct Writer<'c> {
    construction: &'c Construction,
    ability: &'c Ability,
    bank: Bank,
    generators: BTreeMap<CardId, BTreeSet<String>>,
    probes: Vec<ProbeData>,
}

/// One packet in hand.
struct Sitting<'p> {
    scope: String,
    packet: PacketRef,
    stored: &'p StoredPacket,
    privacy: PrivacyRules,
    own: ProbeData,
    reflection_calls: Vec<palaestra_domain::Digest>,
}

impl Writer<'_> {
    /// Everything that one packet brings about, as the events of one commit.
    async fn packet(&mut self, index: usize, entry: &PacketEntry) -> Result<Vec<BankEvent>, Error> {
        let stored = self.construction.load(entry).await?;
        let packet = entry.reference();
        let mut events = Vec::new();
        let mut deltas = 0;
        if stored.packet.view.contrast != ContrastKind::NoEvidence {
            let scope = format!("skill/{}/{index}", self.ability);
            let reflected =
                reflector::reflect(self.construction, &scope, &stored.packet.view, &self.bank).await?;
            let mut sitting = Sitting {
                scope,
                packet: packet.clone(),
                privacy: self.construction.privacy(&stored)?,
                own: ProbeData::of_packet(self.construction, &stored)?,
                stored: &stored,
                reflection_calls: reflected.reply.calls.clone(),
            };
            match reflected.reply.value {
                Err(refused) => {
                    let calls = sitting.reflection_calls.clone();
                    events.push(self.answer_rejected(&sitting, None, refused, calls));
                }
                Ok(answer) => {
                    deltas = answer.len();
                    for (at, delta) in answer.into_iter().enumerate() {
                        let event = self.delta(&mut sitting, &reflected.relevant, at, delta).await?;
                        events.push(event);
                    }
                }
            }
        }
        events.push(BankEvent::PacketCurated { ability: self.ability.clone(), packet, deltas });
        Ok(events)
    }

    /// One delta: validate, ask the Curator, validate, apply.
    async fn delta(
        &mut self,
        sitting: &mut Sitting<'_>,
        relevant: &[palaestra_domain::SkillCard],
        at: usize,
        delta: SkillDelta,
    ) -> Result<BankEvent, Error> {
        let view = &sitting.stored.packet.view;
        let most = self.construction.settings.max_deltas;
        let rejections = if at < most {
            reflector::check(self.construction, view, relevant, &sitting.privacy, &delta)
        } else {
            let detail = format!("at most {most} were asked for");
            vec![Rejection::new(RejectionReason::FieldLimit, "deltas", detail)]
        };
        if !rejections.is_empty() {
            return Ok(BankEvent::DeltaRejected {
                ability: self.ability.clone(),
                packet: sitting.packet.clone(),
                delta: Box::new(delta),
                rejections,
                calls: sitting.reflection_calls.clone(),
            });
        }
        let reply =
            curator::decide(self.construction, &sitting.scope, &self.bank, self.ability, at, &delta).await?;
        let calls = [sitting.reflection_calls.clone(), reply.calls].concat();
        let patch = match reply.value {
            Ok(patch) => patch,
            Err(refused) => return Ok(self.answer_rejected(sitting, Some(delta), refused, calls)),
        };
        let verdict = self.verdict(sitting, &patch, &delta);
        let event = BankEvent::CuratorDecided {
            ability: self.ability.clone(),
            packet: sitting.packet.clone(),
            delta: Box::new(delta),
            patch: Box::new(patch),
            verdict,
            calls,
        };
        for (card, scenarios) in generators([&event]) {
            self.generators.entry(card).or_default().extend(scenarios);
        }
        Ok(event)
    }

    /// Π_V(S_a ⊕ op(δ)): all three levels, then the edit.
    fn verdict(
        &mut self,
        sitting: &Sitting<'_>,
        patch: &palaestra_domain::CuratorPatch,
        delta: &SkillDelta,
    ) -> Verdict {
        let function_cards = curator::related(&self.bank, delta);
        let probes: Vec<Probe<'_>> =
            self.probes.iter().chain([&sitting.own]).map(|probe| probe.borrow(self.ability)).collect();
        let preview = PreviewContext {
            scenario: &sitting.packet.scenario,
            generators: &self.generators,
            probes: &probes,
            params: self.construction.params(),
            depth: DEPTH,
        };
        let context = PatchContext {
            limits: self.construction.settings.profile.limits(),
            contrast: sitting.stored.packet.view.contrast,
            known: &self.construction.known,
            bank: &self.bank,
            ability: self.ability,
            function_cards: &function_cards,
            privacy: &sitting.privacy,
            preview: Some(preview),
        };
        let rejections = validate_patch(patch, delta, &context);
        if !rejections.is_empty() {
            return Verdict::Rejected { rejections };
        }
        match apply(&self.bank, self.ability, patch) {
            Ok(edit) => {
                edit.clone().commit(&mut self.bank);
                edit.into()
            }
            Err(rejection) => Verdict::Rejected { rejections: vec![rejection] },
        }
    }

    /// An unreadable answer: the Curator's about a delta, or the Reflector's about the packet.
    fn answer_rejected(
        &self,
        sitting: &Sitting<'_>,
        delta: Option<SkillDelta>,
        refused: Refused,
        calls: Vec<palaestra_domain::Digest>,
    ) -> BankEvent {
        BankEvent::AnswerRejected {
            role: if delta.is_some() { ConstructionRole::Curator } else { ConstructionRole::Reflector },
            function: None,
            ability: Some(self.ability.clone()),
            packet: Some(sitting.packet.clone()),
            delta: delta.map(Box::new),
            answer: refused.answer,
            rejections: vec![refused.rejection],
            calls,
        }
    }
}
