//! What the journal keeps of an answered call. A persistent format: it carries a version.

use palaestra_domain::NanoUsd;
use palaestra_store::CallKey;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::layers::Spend;
use crate::request::ModelRef;
use crate::response::ModelResponse;

const VERSION: u32 = 1;

/// An answered call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallRecord {
    version: u32,
    /// Who asked.
    pub role: String,
    /// Who was asked.
    pub model: ModelRef,
    /// The answer.
    pub response: ModelResponse,
    /// What it cost; `None` when the price is not known.
    pub cost: Option<NanoUsd>,
    /// Attempts of this call that failed and may have been billed.
    pub lost_attempts: u32,
    /// The most that those attempts, and announced calls of processes that died, may have cost.
    pub lost: Spend,
}

impl CallRecord {
    pub(crate) fn new(
        role: &str,
        model: ModelRef,
        response: ModelResponse,
        cost: Option<NanoUsd>,
        (lost, lost_attempts): (Spend, u32),
    ) -> Self {
        Self { version: VERSION, role: role.to_owned(), model, response, cost, lost_attempts, lost }
    }

    /// What the answer itself used.
    pub(crate) fn used(&self) -> Spend {
        Spend { usd: self.cost.unwrap_or_default(), tokens: self.response.usage.total() }
    }

    pub(crate) fn encode(&self) -> Result<Vec<u8>, Error> {
        Ok(palaestra_domain::canonical::to_json("journal record", self)?.into_bytes())
    }

    pub(crate) fn decode(key: &CallKey, bytes: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let fail = |message: String| Error::JournalFormat { key: key.to_string(), message };
        let found: Version = serde_json::from_slice(bytes).map_err(|error| fail(error.to_string()))?;
        if found.version != VERSION {
            let found = found.version;
            return Err(fail(format!(
                "it has format {found}, this program reads {VERSION}; use the program that wrote it"
            )));
        }
        serde_json::from_slice(bytes).map_err(|error| fail(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use palaestra_domain::TokenUsage;

    use super::*;
    use crate::response::Finish;

    #[test]
    fn the_stored_form_is_stable_and_another_version_is_refused() {
        let response = ModelResponse {
            text: "ok".into(),
            reasoning: None,
            tool_calls: Vec::new(),
            finish: Finish::Other("odd".into()),
            usage: TokenUsage { input: 3, output: 1, ..TokenUsage::default() },
            usage_estimated: false,
            decoded_lossily: false,
            answered_by: "m-1".into(),
            request_id: Some("r".into()),
        };
        let model = ModelRef { provider: "openai".into(), base_url: "http://h/v1".into(), model: "m".into() };
        let record = CallRecord::new("reflector", model, response, Some(NanoUsd(7)), (Spend::default(), 0));
        let bytes = record.encode().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"cost":7,"lost":{"tokens":0,"usd":0},"lost_attempts":0,"#,
                r#""model":{"base_url":"http://h/v1","model":"m","provider":"openai"},"#,
                r#""response":{"answered_by":"m-1","decoded_lossily":false,"finish":{"other":"odd"},"#,
                r#""reasoning":null,"request_id":"r","text":"ok","tool_calls":[],"#,
                r#""usage":{"cache_write":0,"cached_input":0,"input":3,"output":1,"reasoning":0},"#,
                r#""usage_estimated":false},"role":"reflector","version":1}"#
            )
        );
        let key = CallKey { scope: "s".into(), ordinal: 0 };
        assert_eq!(CallRecord::decode(&key, &bytes).unwrap(), record);
        let newer = text.replace(r#""version":1"#, r#""version":2"#);
        assert!(CallRecord::decode(&key, newer.as_bytes()).unwrap_err().to_string().contains("format 2"));
    }
}
