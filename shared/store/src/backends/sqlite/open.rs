//! Opens, creates and refuses store files.
//!
//! Nothing is changed in a file before it is known to be a sound store of ours. The write-ahead log
//! and its index stay beside the file even when nobody has it open: a reader then finds both, shares
//! them with a writer that may come, and never has to create a file.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::failure::{system, translate};
use super::schema;
use crate::error::Error;

/// Where a store's companion file lies.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens the store at `path` for writing, and creates it when there is none. Only its owner may.
pub(super) fn for_writing(path: &Path) -> Result<Connection, Error> {
    let location = path.display().to_string();
    match File::open(path) {
        Ok(file) => refuse_foreign(file, &location)?,
        Err(error) if error.kind() == ErrorKind::NotFound => create(path, &location)?,
        Err(error) => return Err(system(&location, "open the store", error)),
    }
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    schema::recognise(&connection, &location)?;
    check(&connection, &location)?;
    let failed = |error| translate(&location, "prepare the store for writing", error);
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    let mode: String =
        connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(failed)?;
    if mode != "wal" {
        let detail = format!("its journal mode is {mode} where a store has wal");
        return Err(Error::Damaged { location, detail, source: None });
    }
    Ok(connection)
}

/// Opens a second connection of the owner, for reading.
pub(super) fn for_reading_beside_the_writer(path: &Path) -> Result<Connection, Error> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// Opens the store at `path` for reading, whoever writes to it meanwhile. Creates no file.
pub(super) fn for_reading(path: &Path) -> Result<Connection, Error> {
    let location = path.display().to_string();
    if !path.is_file() {
        return Err(Error::Missing { location });
    }
    let log = beside(path, "-wal");
    let connection = match (log.exists(), beside(path, "-shm").exists()) {
        (true, true) => connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        // Without them SQLite would create them. A writer always has both, so there is none, and
        // the file alone (a copy of a store, for instance) can be read as it lies.
        (log_exists, _) if !log_exists || is_empty(&log) => {
            connect(&immutable(path), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?
        }
        _ => {
            let detail = format!(
                "{} holds its last writes, but the -shm file beside it is missing (copy the three together)",
                log.display()
            );
            return Err(Error::Damaged { location, detail, source: None });
        }
    };
    schema::recognise(&connection, &location)?;
    Ok(connection)
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() == 0)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    let location = path.display().to_string();
    let failed = |error| translate(&location, "open the store", error);
    let connection =
        Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(failed)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(failed)?;
    Ok(connection)
}

/// The file as SQLite's URI for "this file does not change".
fn immutable(path: &Path) -> PathBuf {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}

/// Looks at a file's first bytes without SQLite, which may repair what it opens, and a file of
/// somebody else must stay as it is. The owner has no connection to the file yet: closing one by
/// hand would take the connection's locks away.
fn refuse_foreign(mut file: File, location: &str) -> Result<(), Error> {
    let mut header = [0_u8; 72];
    let foreign = |detail: &str| Error::NotOurs { location: location.to_owned(), detail: detail.to_owned() };
    match file.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(foreign("it is too short")),
        Err(error) => return Err(system(location, "open the store", error)),
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(foreign("it is not an SQLite file, or its first page is destroyed"));
    }
    let application = header.last_chunk::<4>().map(|bytes| i64::from(i32::from_be_bytes(*bytes)));
    if application != Some(schema::APPLICATION) {
        return Err(foreign("it is an SQLite file of another program"));
    }
    Ok(())
}

/// Refuses a file whose pages do not fit together.
fn check(connection: &Connection, location: &str) -> Result<(), Error> {
    let verdict: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| translate(location, "check the store", error))?;
    if verdict == "ok" {
        Ok(())
    } else {
        Err(Error::Damaged { location: location.to_owned(), detail: verdict, source: None })
    }
}

/// Creates a store under another name and moves it to its place, so that a file at `path` is
/// always whole.
fn create(path: &Path, location: &str) -> Result<(), Error> {
    let failed = |error| system(location, "create the store", error);
    let log = beside(path, "-wal");
    if log.exists() && !is_empty(&log) {
        let detail = format!(
            "the file itself is missing, but {} still holds its last writes (remove that to start anew)",
            log.display()
        );
        return Err(Error::Damaged { location: location.to_owned(), detail, source: None });
    }
    let draft = beside(path, ".new");
    for leftover in [
        log,
        beside(path, "-shm"),
        beside(&draft, "-journal"),
        beside(&draft, "-wal"),
        beside(&draft, "-shm"),
        draft.clone(),
    ] {
        match fs::remove_file(leftover) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    let refused = |error| translate(location, "create the store", error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = Connection::open_with_flags(&draft, flags).map_err(refused)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(refused)?;
    schema::lay(&mut connection, location)?;
    connection
        .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
        .map_err(refused)?;
    connection.close().map_err(|(_, error)| refused(error))?;
    fs::rename(&draft, path).map_err(failed)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}
