//! The end of a construction: the fold of all bank streams, hashed and committed (§3.4).

use palaestra_memory::freeze::FrozenBank;
use palaestra_memory::history::{BankEvent, fold};

use super::super::error::Error;
use super::bank_log::{BankLog, bank_streams, history};
use super::context::Construction;

/// Freezes the run's bank. Freezing again gives the same bank.
///
/// # Errors
/// [`Error`] when the store fails or the history does not fold.
pub async fn freeze(construction: &Construction) -> Result<FrozenBank, Error> {
    let events = history(construction.store.as_ref(), &construction.run).await?;
    let bank = fold(&events).map_err(|error| construction.broken(&error))?;
    let frozen = FrozenBank::new(bank).map_err(|error| construction.broken(&error))?;
    let (mut log, done) =
        BankLog::open(construction.store.clone(), bank_streams::frozen(&construction.run)?).await?;
    if done.is_empty() {
        log.append(&[BankEvent::BankFrozen { digest: frozen.digest(), counts: frozen.counts().clone() }])
            .await?;
    }
    Ok(frozen)
}
