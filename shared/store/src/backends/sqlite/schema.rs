//! The file format: its tables, its version, and how a file says that it is ours.

use rusqlite::Connection;

use super::failure::translate;
use crate::error::Error;

/// The newest format that this program reads and writes, kept as SQLite's `user_version`.
pub(super) const FORMAT: i64 = 1;

/// "PALE", kept as SQLite's `application_id`.
pub(super) const APPLICATION: i64 = 0x5041_4c45;

/// Digests are hexadecimal text, so that the file can be questioned with plain SQL. Those of events
/// and answers are there because SQLite does not notice damage within a value.
/// `calls.id` keeps the order of first announcements.
pub(super) const TABLES: &str = "
CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE events (
    stream INTEGER NOT NULL REFERENCES streams (id),
    position INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (stream, position)
) STRICT;
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    request TEXT NOT NULL,
    intents INTEGER NOT NULL CHECK (intents > 0),
    answer BLOB,
    answer_digest TEXT,
    UNIQUE (scope, ordinal, request)
) STRICT;
CREATE TABLE blobs (
    digest TEXT NOT NULL UNIQUE,
    body BLOB NOT NULL
) STRICT;
";

/// Makes an empty database a store.
pub(super) fn lay(connection: &mut Connection, location: &str) -> Result<(), Error> {
    let failed = |error| translate(location, "create the store", error);
    let transaction = connection.transaction().map_err(failed)?;
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    transaction.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
    transaction.execute_batch(TABLES).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Refuses a database that is not a store, or one of a format that this program does not know.
pub(super) fn recognise(connection: &Connection, location: &str) -> Result<(), Error> {
    let number = |pragma: &str| {
        connection
            .pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))
            .map_err(|error| translate(location, "read the format of the store", error))
    };
    let application = number("application_id")?;
    if application != APPLICATION {
        let detail = format!("its application id is {application:#010x}");
        return Err(Error::NotOurs { location: location.to_owned(), detail });
    }
    match number("user_version")? {
        FORMAT => Ok(()),
        found if found > FORMAT => Err(Error::Newer { location: location.to_owned(), found, known: FORMAT }),
        found => {
            let detail = format!("its format is {found}, which no palaestra ever wrote");
            Err(Error::NotOurs { location: location.to_owned(), detail })
        }
    }
}

#[cfg(test)]
mod tests {
    use palaestra_domain::Digest;

    use super::*;

    #[test]
    fn other_tables_need_another_format() {
        let known = (1, "5b214c5d7a7c");
        assert_eq!(
            (FORMAT, Digest::of(TABLES.as_bytes()).short().as_str()),
            known,
            "raise FORMAT and migrate"
        );
    }
}
