//! What can go wrong with a bank as a whole. A refused card or patch is no error: it is a
//! [`palaestra_domain::Rejection`], counted and kept.

use palaestra_domain::{Digest, DomainError};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Text that is not the JSON that it should be.
    #[error("cannot read {what}: {source}; restore the file from where it was written")]
    Json {
        /// What was being read.
        what: &'static str,
        /// The parser's own words.
        source: serde_json::Error,
    },
    /// Something written by a newer program.
    #[error(
        "cannot read {what} of format {found}: this program knows formats up to {supported}; use a newer one"
    )]
    NewerFormat {
        /// What was being read.
        what: &'static str,
        /// The format that it has.
        found: u64,
        /// The newest format that is understood here.
        supported: u32,
    },
    /// A bank whose content is not what its hash says.
    #[error(
        "bank content has hash {computed}, its file states {stated}: the file was changed after the freeze"
    )]
    WrongDigest {
        /// The hash in the file.
        stated: Box<Digest>,
        /// The hash of the content.
        computed: Box<Digest>,
    },
    /// A bank whose parts contradict each other.
    #[error("bank is inconsistent at {at}: {message}")]
    Inconsistent {
        /// Where.
        at: String,
        /// What does not fit.
        message: String,
    },
    /// A history that does not add up to a bank.
    #[error("bank history does not replay at event {position}: {message}")]
    History {
        /// Index of the event.
        position: usize,
        /// What does not fit.
        message: String,
    },
    /// A set of search terms that cannot be compiled.
    #[error("cannot prepare the search for {what}: {source}; pass fewer or shorter values")]
    Matcher {
        /// What was to be searched for.
        what: &'static str,
        /// The library's own words.
        source: aho_corasick::BuildError,
    },
    /// A privacy pattern that cannot be compiled.
    #[error("cannot compile a privacy pattern: {0}; this is a fault of this program")]
    Pattern(#[source] regex::Error),
    /// A value that refuses to be built or written.
    #[error(transparent)]
    Domain(#[from] DomainError),
}
