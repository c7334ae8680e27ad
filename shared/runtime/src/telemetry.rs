//! Log events on standard error; standard output is for data.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::error::Error;

/// The environment variable that chooses what is logged.
pub const FILTER_VARIABLE: &str = "PALAESTRA_LOG";

/// Starts logging to standard error, filtered by `PALAESTRA_LOG` or else by `default_filter`
/// (for example `warn`). Call it once, at the beginning of `main`.
///
/// # Errors
/// [`Error::LogFilter`] when the filter cannot be read, [`Error::LogWriter`] when logging was
/// started before.
pub fn init(default_filter: &str) -> Result<(), Error> {
    let filter = std::env::var(FILTER_VARIABLE).ok().filter(|text| !text.trim().is_empty());
    let filter = filter.unwrap_or_else(|| default_filter.to_owned());
    let env_filter = EnvFilter::try_new(&filter).map_err(|source| Error::LogFilter { filter, source })?;
    tracing_subscriber::fmt()
        .with_env_filter(env_filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .finish()
        .try_init()
        .map_err(|source| Error::LogWriter { source: source.into() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn logging_starts_once() {
        super::init("warn").unwrap();
        assert!(matches!(super::init("warn"), Err(crate::Error::LogWriter { .. })));
    }
}
