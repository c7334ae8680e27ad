//! API keys: where they come from, and how they stay out of everything that is written down.
//!
//! A key leaves this module only as a header value marked sensitive. Bodies that a service sends
//! are redacted before anything else looks at them, since services do echo keys.

use std::path::PathBuf;

use palaestra_domain::Digest;
use reqwest::header::HeaderValue;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Shorter keys are placeholders of local servers (`EMPTY`, `none`), which may occur in an answer by
/// themselves; replacing them would change evidence.
const SHORTEST_SECRET_BYTES: usize = 12;

/// What stands where a key was.
pub const REDACTED: &str = "[redacted key]";

/// Where an API key is to be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    /// The name of an environment variable.
    Env(String),
    /// The path of a file that holds the key alone.
    File(PathBuf),
}

impl KeySource {
    /// Reads the key.
    ///
    /// # Errors
    /// [`Error::KeyVariable`], [`Error::KeyFile`] or [`Error::KeyInvalid`]; none quotes what it read.
    pub fn read(&self) -> Result<ApiKey, Error> {
        let (text, origin) = match self {
            Self::Env(variable) => {
                let text =
                    std::env::var(variable).map_err(|_| Error::KeyVariable { variable: variable.clone() })?;
                (SecretString::from(text), format!("environment variable {variable}"))
            }
            Self::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|source| Error::KeyFile { path: path.clone(), source })?;
                (SecretString::from(text), path.display().to_string())
            }
        };
        ApiKey::new(text.expose_secret().trim()).ok_or(Error::KeyInvalid { origin })
    }
}

/// An API key. Its `Debug` form does not show it.
#[derive(Debug, Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Wraps a key; `None` when it is empty or could not be sent in a header.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let sendable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        sendable.then(|| Self(SecretString::from(text)))
    }

    /// The key as a sensitive header value, after `prefix` (for example `Bearer `).
    pub(crate) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0.expose_secret())).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// What tells this key's account from others without telling the key.
    pub(crate) fn account(&self) -> Digest {
        Digest::of(self.0.expose_secret().as_bytes())
    }

    /// The text without the key, in its plain form and in both spellings that JSON has for it.
    pub(crate) fn redact(&self, text: String) -> String {
        let key = self.0.expose_secret();
        if key.len() < SHORTEST_SECRET_BYTES {
            return text;
        }
        let escaped = key.replace('\\', "\\\\").replace('"', "\\\"");
        let slashed = escaped.replace('/', "\\/");
        [slashed.as_str(), escaped.as_str(), key]
            .into_iter()
            .fold(text, |text, form| if text.contains(form) { text.replace(form, REDACTED) } else { text })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_key_is_not_in_its_debug_form_or_its_headers() {
        let key = ApiKey::new("sk-canary-0123456789").unwrap();
        let header = key.header("Bearer ").unwrap();
        assert_eq!(header.as_bytes(), b"Bearer sk-canary-0123456789");
        for shown in [format!("{key:?}"), format!("{header:?}")] {
            assert!(!shown.contains("canary"), "{shown}");
        }
    }

    #[test]
    fn every_spelling_of_a_key_is_redacted_and_placeholders_are_not() {
        let key = ApiKey::new(r#"sk/can"ary\0123456789"#).unwrap();
        let echoed = serde_json::json!({ "key": r#"sk/can"ary\0123456789"# }).to_string();
        let slashed = echoed.replace('/', "\\/");
        for text in [echoed, slashed, r#"plain sk/can"ary\0123456789"#.to_owned()] {
            let clean = key.redact(text);
            assert!(clean.contains(REDACTED) && !clean.contains("0123456789"), "{clean}");
        }
        let placeholder = ApiKey::new("EMPTY").unwrap();
        assert_eq!(placeholder.redact("EMPTY box".into()), "EMPTY box");
    }

    #[test]
    fn a_key_file_is_trimmed_and_faults_name_the_place() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "sk-canary-0123456789").unwrap();
        let key = KeySource::File(file.path().to_owned()).read().unwrap();
        assert_eq!(key.header("").unwrap().as_bytes(), b"sk-canary-0123456789");

        let empty = tempfile::NamedTempFile::new().unwrap();
        let error = KeySource::File(empty.path().to_owned()).read().unwrap_err();
        assert!(
            matches!(&error, Error::KeyInvalid { origin } if origin.contains(empty.path().to_str().unwrap()))
        );
        let error = KeySource::Env("PALAESTRA_NO_SUCH_KEY".into()).read().unwrap_err();
        assert!(error.to_string().contains("PALAESTRA_NO_SUCH_KEY"));
    }
}
