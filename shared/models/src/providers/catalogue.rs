//! The providers by name. A new one is a folder and a line here.

use std::sync::Arc;

use palaestra_domain::{Digest, LimitKey};
use palaestra_runtime::Clock;

use super::Provider;
use super::anthropic::AnthropicProvider;
use super::openai::OpenAiProvider;
use super::scripted::ScriptedProvider;
use crate::error::Error;
use crate::request::ModelRef;
use crate::secrets::{ApiKey, KeySource};
use crate::settings::ModelSettings;

/// Builds a provider for one model.
type Constructor =
    fn(&ModelSettings, &str, Option<ApiKey>, Arc<dyn Clock>) -> Result<Arc<dyn Provider>, Error>;

/// One line of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name in a run file.
    pub name: &'static str,
    /// Base address when the settings give none; empty for a provider without an address.
    pub base_url: &'static str,
    build: Constructor,
}

/// All providers.
pub const CATALOGUE: &[Entry] = &[
    Entry { name: "anthropic", base_url: "https://api.anthropic.com/v1", build: AnthropicProvider::build },
    Entry { name: "openai", base_url: "https://api.openai.com/v1", build: OpenAiProvider::build },
    Entry { name: "scripted", base_url: "", build: ScriptedProvider::build },
];

/// A model that a provider of the catalogue serves.
#[derive(Debug)]
pub(crate) struct Served {
    pub model: ModelRef,
    pub provider: Arc<dyn Provider>,
    /// What its rate limits belong to.
    pub limit: LimitKey,
}

/// The model that the settings describe, with its provider.
pub(crate) fn build(settings: &ModelSettings, clock: Arc<dyn Clock>) -> Result<Served, Error> {
    let entry = CATALOGUE.iter().find(|entry| entry.name == settings.provider).ok_or_else(|| {
        let known: Vec<_> = CATALOGUE.iter().map(|entry| entry.name).collect();
        Error::UnknownProvider { name: settings.provider.clone(), known: known.join(", ") }
    })?;
    let base_url = base_url(settings, entry)?;
    let key = settings.key.as_ref().map(KeySource::read).transpose()?;
    let model = ModelRef {
        provider: settings.provider.clone(),
        base_url: base_url.clone(),
        model: settings.model.clone(),
    };
    let limit = LimitKey {
        provider: format!("{} {base_url}", settings.provider).trim_end().to_owned(),
        account: key.as_ref().map_or_else(|| Digest::of(b""), ApiKey::account),
        model: settings.model.clone(),
    };
    let provider = (entry.build)(settings, &base_url, key, clock)?;
    Ok(Served { model, provider, limit })
}

/// The address, refused when it could carry a secret: it is written to journals and reports.
fn base_url(settings: &ModelSettings, entry: &Entry) -> Result<String, Error> {
    let fail = |message: &str| Error::Settings { model: settings.model.clone(), message: message.to_owned() };
    let text = settings.base_url.as_deref().unwrap_or(entry.base_url);
    if entry.base_url.is_empty() {
        return if text.is_empty() {
            Ok(String::new())
        } else {
            Err(fail("this provider has no base_url; leave it out"))
        };
    }
    let url = reqwest::Url::parse(text).map_err(|error| {
        fail(&format!("base_url is not an address ({error}); write for example https://host/v1"))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(fail("base_url must start with http:// or https://"));
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(fail("base_url must hold no user, password, query or fragment; give the key with `key`"));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use palaestra_runtime::SystemClock;

    use super::*;

    fn refusal(change: impl FnOnce(&mut ModelSettings)) -> String {
        let mut settings = ModelSettings::new("openai", "m");
        change(&mut settings);
        build(&settings, Arc::new(SystemClock)).unwrap_err().to_string()
    }

    #[test]
    fn faulty_settings_are_refused_with_the_remedy() {
        assert!(refusal(|s| s.provider = "opneai".into()).contains("anthropic, openai, scripted"));
        for url in ["https://user:pw@host/v1", "https://host/v1?key=1", "https://host/v1#k"] {
            assert!(refusal(|s| s.base_url = Some(url.into())).contains("give the key with `key`"), "{url}");
        }
        assert!(refusal(|s| s.base_url = Some("ftp://host".into())).contains("http"));
        assert!(refusal(|s| s.base_url = Some("host/v1".into())).contains("not an address"));
    }
}
