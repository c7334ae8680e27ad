//! Errors of the process's edge.

/// What can go wrong while a process starts.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The filter in `PALAESTRA_LOG` cannot be read.
    #[error(
        "cannot read the log filter {filter:?} in PALAESTRA_LOG; write for example `info` or `palaestra_models=debug`"
    )]
    LogFilter {
        /// The text of the variable.
        filter: String,
        /// The parser's own error.
        source: tracing_subscriber::filter::ParseError,
    },
    /// A subscriber for log events was installed before.
    #[error("cannot install the log writer; start telemetry once, at the beginning of main")]
    LogWriter {
        /// The reason given by the logging library.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The process cannot listen for a signal.
    #[error("cannot listen for {signal}; run where signals are allowed")]
    Signal {
        /// Name of the signal.
        signal: &'static str,
        /// The operating system's reason.
        source: std::io::Error,
    },
}
