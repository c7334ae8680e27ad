//! Turns what SQLite says into what a caller can act on.

use std::sync::Arc;

use rusqlite::ErrorCode;

use crate::error::Error;

/// Why one statement's work failed: already in the store's words, a stored value that is not what was
/// written, or still in SQLite's words.
#[derive(Debug)]
pub(super) enum Fault {
    Store(Error),
    Torn(String),
    Sqlite(rusqlite::Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Fault {
    /// The store's error, once it is known where and at what the fault arose.
    pub(super) fn at(self, location: &str, doing: &'static str) -> Error {
        match self {
            Self::Store(error) => error,
            Self::Torn(detail) => Error::Damaged { location: location.to_owned(), detail, source: None },
            Self::Sqlite(error) => translate(location, doing, error),
        }
    }
}

/// The store's error for an error of SQLite.
pub(super) fn translate(location: &str, doing: &'static str, error: rusqlite::Error) -> Error {
    let location = location.to_owned();
    let code = error.sqlite_error_code();
    let detail = error.to_string();
    let source: crate::error::Cause = Arc::new(error);
    match code {
        Some(ErrorCode::DiskFull) => Error::DiskFull { location, doing, source },
        Some(ErrorCode::TooBig) => Error::TooLarge { location, doing, source },
        Some(ErrorCode::DatabaseCorrupt) => Error::Damaged { location, detail, source: Some(source) },
        Some(ErrorCode::NotADatabase) => Error::NotOurs { location, detail },
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied,
        ) => Error::Io { location, doing, source },
        _ => Error::Backend { location, doing, source },
    }
}

/// The store's error for an error of the operating system.
pub(super) fn system(location: &str, doing: &'static str, error: std::io::Error) -> Error {
    let location = location.to_owned();
    let full = error.kind() == std::io::ErrorKind::StorageFull;
    let source: crate::error::Cause = Arc::new(error);
    if full { Error::DiskFull { location, doing, source } } else { Error::Io { location, doing, source } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_operator_can_act_on_has_its_own_variant() {
        let by_code = |code: i32| {
            translate(
                "here",
                "append events",
                rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None),
            )
        };
        assert!(matches!(by_code(rusqlite::ffi::SQLITE_FULL), Error::DiskFull { .. }));
        assert!(matches!(by_code(rusqlite::ffi::SQLITE_IOERR_FSYNC), Error::Io { .. }));
        assert!(matches!(by_code(rusqlite::ffi::SQLITE_CORRUPT), Error::Damaged { .. }));
        assert!(matches!(by_code(rusqlite::ffi::SQLITE_NOTADB), Error::NotOurs { .. }));
        assert!(matches!(by_code(rusqlite::ffi::SQLITE_TOOBIG), Error::TooLarge { .. }));
        assert!(matches!(by_code(rusqlite::ffi::SQLITE_BUSY), Error::Backend { .. }));
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(matches!(system("here", "create the store", full), Error::DiskFull { .. }));
    }
}
