//! The frozen bank (appendix A.8): content with its hash, as it is evaluated and passed on.
//! Provenance stays in the history, never in here.

use std::collections::BTreeMap;

use palaestra_domain::bank::BANK_FORMAT;
use palaestra_domain::{Ability, Bank, Digest, FunctionCard};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;

/// The version of the bank file; a reader refuses a newer one.
pub const FILE_FORMAT: u32 = 1;

/// How many cards a bank has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BankCounts {
    /// Function Cards.
    pub functions: usize,
    /// Skill Cards per ability.
    pub skills: BTreeMap<Ability, usize>,
}

impl BankCounts {
    /// Counts a bank.
    #[must_use]
    pub fn of(bank: &Bank) -> Self {
        let skills = bank.skill_cards.iter().map(|(ability, cards)| (ability.clone(), cards.len())).collect();
        Self { functions: bank.function_cards.len(), skills }
    }
}

/// A bank that is checked and will not change any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FrozenBank {
    format: u32,
    digest: Digest,
    counts: BankCounts,
    bank: Bank,
}

/// The part of a bank file that is trusted only after the check.
#[derive(Deserialize)]
struct Stated {
    digest: Digest,
    bank: Bank,
}

impl FrozenBank {
    /// Freezes a bank.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] when a card stands under another's name.
    pub fn new(bank: Bank) -> Result<Self, Error> {
        check_names(&bank)?;
        Ok(Self { format: FILE_FORMAT, digest: bank.digest()?, counts: BankCounts::of(&bank), bank })
    }

    /// The content hash.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// How many cards there are.
    #[must_use]
    pub fn counts(&self) -> &BankCounts {
        &self.counts
    }

    /// The content.
    #[must_use]
    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    /// The bank file's text: canonical JSON, the same bytes for the same bank.
    ///
    /// # Errors
    /// [`Error::Domain`] when it cannot be serialised.
    pub fn to_json(&self) -> Result<String, Error> {
        Ok(palaestra_domain::canonical::to_json("bank file", self)?)
    }

    /// Reads a bank file's text.
    ///
    /// # Errors
    /// [`Error::Json`] for other text, [`Error::NewerFormat`] for a file of a newer program,
    /// [`Error::WrongDigest`] when the content was changed, [`Error::Inconsistent`] when its parts
    /// contradict each other.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value: Value =
            serde_json::from_str(text).map_err(|source| Error::Json { what: "bank file", source })?;
        // Formats come first: a newer file may have fields that this program would misread.
        refuse_newer("bank file", &value, FILE_FORMAT)?;
        if let Some(bank) = value.get("bank") {
            refuse_newer("bank", bank, BANK_FORMAT)?;
        }
        let stated: Stated =
            serde_json::from_value(value).map_err(|source| Error::Json { what: "bank file", source })?;
        let frozen = Self::new(stated.bank)?;
        if frozen.digest == stated.digest {
            Ok(frozen)
        } else {
            Err(Error::WrongDigest { stated: Box::new(stated.digest), computed: Box::new(frozen.digest) })
        }
    }
}

/// Refuses a value whose `format` is newer than what is understood here.
pub(crate) fn refuse_newer(what: &'static str, value: &Value, supported: u32) -> Result<(), Error> {
    match value.get("format").and_then(Value::as_u64) {
        Some(found) if found > u64::from(supported) => Err(Error::NewerFormat { what, found, supported }),
        _ => Ok(()),
    }
}

/// Every card stands under its own name.
fn check_names(bank: &Bank) -> Result<(), Error> {
    let inconsistent =
        |at: String| Error::Inconsistent { at, message: "the card has another name".to_owned() };
    for (name, card) in &bank.function_cards {
        if *name != card.tool || FunctionCard::id_of(name)? != card.card_id {
            return Err(inconsistent(name.to_string()));
        }
    }
    for (ability, cards) in &bank.skill_cards {
        if let Some((id, _)) = cards.iter().find(|(id, card)| **id != card.card_id) {
            return Err(inconsistent(format!("{ability}/{id}")));
        }
    }
    Ok(())
}
