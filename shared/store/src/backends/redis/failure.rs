//! Turns what Redis and the network say into what a caller can act on.

use std::io::ErrorKind as IoKind;
use std::sync::Arc;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::error::{Cause, Error};

/// Why one attempt failed: already in the store's words, or still in those of Redis.
#[derive(Debug)]
pub(super) enum Fault {
    Store(Error),
    Redis(RedisError),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<RedisError> for Fault {
    fn from(error: RedisError) -> Self {
        Self::Redis(error)
    }
}

impl Fault {
    /// The store's error, once it is known where and at what the fault arose.
    pub(super) fn at(self, location: &str, doing: &'static str) -> Error {
        match self {
            Self::Store(error) => error,
            Self::Redis(error) => translate(location, doing, error),
        }
    }
}

/// Whether the failure is one that time heals: the server is away, starts, is busy, or hands over to
/// another one.
pub(super) fn passes(error: &RedisError) -> bool {
    match error.kind() {
        ErrorKind::Io | ErrorKind::Parse => true,
        ErrorKind::Server(
            ServerErrorKind::BusyLoading
            | ServerErrorKind::TryAgain
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::MasterDown
            | ServerErrorKind::ReadOnly,
        ) => true,
        _ => error.code() == Some("BUSY"),
    }
}

/// Whether the connection is of no more use: broken, silent, or to a server that became a replica.
pub(super) fn breaks(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Io | ErrorKind::Parse | ErrorKind::Server(ServerErrorKind::ReadOnly))
}

/// The store's error for an error of Redis.
pub(super) fn translate(location: &str, doing: &'static str, error: RedisError) -> Error {
    let location = location.to_owned();
    let code = error.code().map(str::to_owned);
    let disk_full = error.detail().is_some_and(|detail| detail.contains("No space left"));
    let source: Cause = Arc::new(error);
    match code.as_deref() {
        Some("OOM") => Error::OutOfMemory { location, doing, source },
        Some("MISCONF") if disk_full => Error::DiskFull { location, doing, source },
        Some("MISCONF") => Error::Io { location, doing, source },
        _ => Error::Backend { location, doing, source },
    }
}

/// The refusal of more than one request to Redis may carry.
pub(super) fn too_large(location: &str, doing: &'static str, detail: String) -> Error {
    let source = Arc::new(std::io::Error::new(IoKind::FileTooLarge, detail));
    Error::TooLarge { location: location.to_owned(), doing, source }
}

/// What was read is not what was written.
pub(super) fn damaged(location: &str, detail: String) -> Error {
    Error::Damaged { location: location.to_owned(), detail, source: None }
}

#[cfg(test)]
mod tests {
    use redis::Value;

    use super::*;

    fn said(line: &str) -> RedisError {
        let value = redis::parse_redis_value(format!("-{line}\r\n").as_bytes()).unwrap();
        value.extract_error().expect_err("an error line")
    }

    #[test]
    fn what_the_operator_can_act_on_has_its_own_variant() {
        let by_line = |line| translate("here", "append events", said(line));
        let full = "MISCONF Errors writing to the AOF file: No space left on device";
        assert!(matches!(by_line(full), Error::DiskFull { .. }));
        assert!(matches!(by_line("MISCONF Errors writing to the AOF file: I/O error"), Error::Io { .. }));
        assert!(matches!(by_line("OOM allow-oom flag is not set"), Error::OutOfMemory { .. }));
        assert!(matches!(by_line("WRONGTYPE not a stream"), Error::Backend { .. }));
        assert!(Value::Okay.extract_error().is_ok());
    }

    #[test]
    fn only_what_time_heals_is_waited_for() {
        for healed in
            ["LOADING in memory", "BUSY a script", "READONLY a replica", "MASTERDOWN x", "TRYAGAIN x"]
        {
            assert!(passes(&said(healed)), "{healed}");
        }
        for final_ in ["OOM x", "MISCONF x", "NOAUTH x", "WRONGPASS x", "NOPERM x", "ERR x"] {
            assert!(!passes(&said(final_)), "{final_}");
        }
        let refused = RedisError::from(std::io::Error::from(IoKind::ConnectionRefused));
        assert!(passes(&refused) && breaks(&refused));
        assert!(!breaks(&said("LOADING in memory")) && breaks(&said("READONLY a replica")));
    }
}
