//! Bearer tokens: one secret per right, read from files, compared in constant time.
//!
//! Only digests of the secrets are kept, so that no log line, dump or error can show one.

use std::path::{Path, PathBuf};

use http::HeaderMap;
use http::header::AUTHORIZATION;
use palaestra_domain::Digest;
use subtle::ConstantTimeEq as _;

use super::rights::{Right, Rights};
use crate::error::Error;

/// Tokens by the right that they give.
#[derive(Debug, Clone, Default)]
pub struct Tokens(Vec<(Right, Digest)>);

impl Tokens {
    /// The shortest token, in characters.
    pub const LEAST_CHARACTERS: usize = 16;

    /// Reads tokens from files, one per right; blanks around a token do not count.
    ///
    /// # Errors
    /// [`Error::TokenFile`] when a file cannot be read, [`Error::BadToken`] when what it holds is no
    /// token.
    pub fn read(files: &[(Right, PathBuf)]) -> Result<Self, Error> {
        let read = |(right, path): &(Right, PathBuf)| Ok((*right, Digest::of(secret(path)?.as_bytes())));
        files.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether there are none: everybody has every right then.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is a token for a right.
    #[must_use]
    pub fn give(&self, right: Right) -> bool {
        self.0.iter().any(|(given, _)| *given == right)
    }

    /// What the sender of these headers may do. Every token is compared, whatever came of the others.
    pub(crate) fn rights(&self, headers: &HeaderMap) -> Rights {
        if self.is_empty() {
            return Rights::all();
        }
        let Some(presented) = bearer(headers).map(|token| Digest::of(token.as_bytes())) else {
            return Rights::NONE;
        };
        let mut rights = Rights::NONE;
        for (right, known) in &self.0 {
            if bool::from(known.as_bytes().ct_eq(presented.as_bytes())) {
                rights = rights.with(*right);
            }
        }
        rights
    }
}

fn secret(path: &Path) -> Result<String, Error> {
    let text =
        std::fs::read_to_string(path).map_err(|source| Error::TokenFile { path: path.to_owned(), source })?;
    let token = text.trim();
    let bad = |problem| Err(Error::BadToken { path: path.to_owned(), problem });
    if token.chars().count() < Tokens::LEAST_CHARACTERS {
        return bad("it has fewer than 16 characters");
    }
    if !token.chars().all(|c| c.is_ascii_graphic()) {
        return bad("it has blanks or characters outside ASCII");
    }
    Ok(token.to_owned())
}

/// The token of an `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
