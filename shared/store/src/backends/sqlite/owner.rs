//! Exclusive ownership: an advisory lock on `<store>.lock`, released by the system when its holder
//! dies, however it dies. The file names the holder and is never removed, since a lock on a removed
//! file excludes nobody.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use super::failure::system;
use super::open::beside;
use crate::error::Error;

/// Proof that this process owns a store; dropped, it is given up.
#[derive(Debug)]
pub(super) struct Owner {
    _lock: File,
}

/// Takes the ownership of the store at `path`.
pub(super) fn own(path: &Path) -> Result<Owner, Error> {
    let lock_path = beside(path, ".lock");
    let lock_name = lock_path.display().to_string();
    let failed = |error| system(&lock_name, "lock the store", error);
    let mut lock = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock_path)
        .map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut owner = String::new();
            // What cannot be read is no reason to hide the refusal itself.
            let read = lock.read_to_string(&mut owner);
            let owner = match (read, owner.trim()) {
                (Ok(_), owner) if !owner.is_empty() => owner.to_owned(),
                _ => "another process".to_owned(),
            };
            return Err(Error::Owned { location: path.display().to_string(), lock: lock_name, owner });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    lock.set_len(0).map_err(failed)?;
    writeln!(lock, "process {}", std::process::id()).map_err(failed)?;
    Ok(Owner { _lock: lock })
}
