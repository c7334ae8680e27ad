//! The Function Card bank F (algorithm 1, lines 7 to 12).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::stream::{self, StreamExt as _};
use palaestra_domain::{FunctionCard, FunctionEvidence, FunctionName, Rejection, canonical};
use palaestra_memory::history::{BankEvent, ConstructionRole};
use palaestra_memory::validate::{
    FunctionContext, PrivacyRules, PrivacySources, drop_restated, validate_function_card,
};

use super::super::error::Error;
use super::super::function_card_builder;
use super::super::model::Reply;
use super::bank_log::{BankLog, bank_streams};
use super::context::{Construction, PacketEntry, Progress};

/// Builds and validates the card of every observed function and commits them together.
///
/// All cards are asked for first, because privacy is judged against the values of every task, and
/// those are read once for all cards; what was asked is in the journal, so a crash repeats no call.
///
/// # Errors
/// [`Error`] when the model or the store fails; a card that is not good enough is a rejection.
pub async fn build_function_bank(
    construction: &Construction,
    evidence: &[FunctionEvidence],
    packets: &[PacketEntry],
) -> Result<(), Error> {
    let stream = bank_streams::functions(&construction.run)?;
    let (mut log, events) = BankLog::open(construction.store.clone(), stream).await?;
    let done: BTreeSet<FunctionName> = events.iter().filter_map(function_of).collect();
    let todo: Vec<&FunctionEvidence> = evidence.iter().filter(|e| !done.contains(&e.target_tool)).collect();
    if todo.is_empty() {
        return Ok(());
    }
    // Collected first: a stream that maps would keep the construction from running in a task.
    let failed = AtomicBool::new(false);
    let asks: Vec<_> = todo.into_iter().map(|evidence| ask(construction, evidence, &failed)).collect();
    // Calls under way when one fails are waited for: they are paid, and their answers are kept.
    let asked: Vec<Result<Option<_>, Error>> =
        stream::iter(asks).buffered(construction.concurrency.max(1)).collect().await;
    let asked: Vec<Option<(&FunctionEvidence, Reply<FunctionCard>)>> =
        asked.into_iter().collect::<Result<_, Error>>()?;
    let asked: Vec<(&FunctionEvidence, Reply<FunctionCard>)> = asked.into_iter().flatten().collect();
    let private = private_findings(construction, &asked, packets).await?;
    let mut events = Vec::with_capacity(asked.len());
    for ((evidence, reply), private) in asked.into_iter().zip(private) {
        events.push(decide(construction, evidence, reply, private).await?);
    }
    log.append(&events).await
}

/// Asks about one function; none once another question has failed.
async fn ask<'a>(
    construction: &Construction,
    evidence: &'a FunctionEvidence,
    failed: &AtomicBool,
) -> Result<Option<(&'a FunctionEvidence, Reply<FunctionCard>)>, Error> {
    if failed.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let built = function_card_builder::build(construction, evidence).await;
    failed.fetch_or(built.is_err(), Ordering::Relaxed);
    (construction.progress)(Progress::Function);
    Ok(Some((evidence, built?)))
}

fn function_of(event: &BankEvent) -> Option<FunctionName> {
    match event {
        BankEvent::FunctionCardAdded { card, .. } => Some(card.tool.clone()),
        BankEvent::FunctionCardRejected { function, .. } => Some(function.clone()),
        BankEvent::AnswerRejected { role: ConstructionRole::Builder, function, .. } => function.clone(),
        _ => None,
    }
}

/// Per card, what it gives away of any task of the run.
async fn private_findings(
    construction: &Construction,
    asked: &[(&FunctionEvidence, Reply<FunctionCard>)],
    packets: &[PacketEntry],
) -> Result<Vec<Vec<Rejection>>, Error> {
    let mut found: Vec<Vec<Rejection>> = asked.iter().map(|_| Vec::new()).collect();
    for entry in packets {
        let rules = construction.privacy(&construction.load(entry).await?)?;
        for ((_, reply), found) in asked.iter().zip(&mut found) {
            let Ok(card) = &reply.value else { continue };
            for rejection in rules.check(&card.texts()) {
                if !found.contains(&rejection) {
                    found.push(rejection);
                }
            }
        }
    }
    Ok(found)
}

async fn decide(
    construction: &Construction,
    evidence: &FunctionEvidence,
    reply: Reply<FunctionCard>,
    private: Vec<Rejection>,
) -> Result<BankEvent, Error> {
    let function = evidence.target_tool.clone();
    let calls = reply.calls;
    let card = match reply.value {
        Ok(card) => card,
        Err(refused) => {
            return Ok(BankEvent::AnswerRejected {
                role: ConstructionRole::Builder,
                function: Some(function),
                ability: None,
                packet: None,
                delta: None,
                answer: refused.answer,
                rejections: vec![refused.rejection],
                calls,
            });
        }
    };
    let (card, dropped) = match construction.documentation_of(&function) {
        Some(documentation) => drop_restated(&card, documentation),
        None => (card, Vec::new()),
    };
    let names: Vec<&str> = construction.source_names.iter().map(String::as_str).collect();
    let sources = PrivacySources { names: &names, identities: &[], judge_prose: &[] };
    let no_values = construction.scenario_values([])?;
    let privacy = PrivacyRules::new(no_values, &sources, &construction.vocabulary)
        .map_err(|e| construction.broken(&e))?;
    let context = FunctionContext {
        limits: construction.settings.profile.limits(),
        evidence,
        known: &construction.known,
        privacy: &privacy,
    };
    let mut rejections = validate_function_card(&card, &context);
    rejections.extend(private.into_iter().filter(|r| !rejections.contains(r)).collect::<Vec<_>>());
    let evidence = put_evidence(construction, evidence).await?;
    Ok(if rejections.is_empty() {
        BankEvent::FunctionCardAdded { card: Box::new(card), evidence, dropped, calls }
    } else {
        BankEvent::FunctionCardRejected { function, card: Box::new(card), evidence, rejections, calls }
    })
}

async fn put_evidence(
    construction: &Construction,
    evidence: &FunctionEvidence,
) -> Result<palaestra_domain::Digest, Error> {
    let text = canonical::to_json("function evidence", evidence)?;
    construction.store.blob_put(text.as_bytes()).await.map_err(|source| Error::Store {
        action: "write the evidence",
        stream: evidence.target_tool.to_string(),
        source,
    })
}
