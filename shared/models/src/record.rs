//! What the journal keeps of an answered call. A persistent format: it carries a version.

use std::collections::BTreeMap;

use palaestra_domain::{NanoUsd, Spend};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::layers::retry::Answered;
use crate::request::ModelRef;
use crate::response::ModelResponse;

/// Version 1 did not know `waited_ms` and `retries`.
const VERSION: u32 = 2;

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
    /// Time that the attempts waited for the limiter, in milliseconds.
    #[serde(default)]
    pub waited_ms: u64,
    /// Failed attempts before the answer, by the label of their class.
    #[serde(default)]
    pub retries: BTreeMap<String, u32>,
}

impl CallRecord {
    pub(crate) fn new(
        role: &str,
        model: &ModelRef,
        answered: Answered,
        cost: Option<NanoUsd>,
        (lost, lost_attempts): (Spend, u32),
    ) -> Self {
        Self {
            version: VERSION,
            role: role.to_owned(),
            model: model.clone(),
            response: answered.response,
            cost,
            lost_attempts,
            lost,
            waited_ms: u64::try_from(answered.waited.as_millis()).unwrap_or(u64::MAX),
            retries: answered.retries,
        }
    }

    /// What the answer itself used.
    pub(crate) fn used(&self) -> Spend {
        Spend { usd: self.cost.unwrap_or_default(), tokens: self.response.usage.total() }
    }

    pub(crate) fn encode(&self) -> Result<Vec<u8>, Error> {
        Ok(palaestra_domain::canonical::to_json("journal record", self)?.into_bytes())
    }

    /// Reads a record. `entry` names it in errors.
    pub(crate) fn decode(entry: &str, bytes: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let fail = |message: String| Error::JournalFormat { key: entry.to_owned(), message };
        let found: Version = serde_json::from_slice(bytes).map_err(|error| fail(error.to_string()))?;
        if !(1..=VERSION).contains(&found.version) {
            let found = found.version;
            return Err(fail(format!(
                "it has format {found}, this program reads up to {VERSION}; use the program that wrote it"
            )));
        }
        serde_json::from_slice(bytes).map_err(|error| fail(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use palaestra_domain::TokenUsage;

    use super::*;
    use crate::response::Finish;

    fn record() -> CallRecord {
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
        let retries = BTreeMap::from([("rate_limited".to_owned(), 2)]);
        let answered = Answered { response, waited: Duration::from_millis(40), retries };
        CallRecord::new("reflector", &model, answered, Some(NanoUsd(7)), (Spend::default(), 0))
    }

    #[test]
    fn the_stored_form_is_stable_and_another_version_is_refused() {
        let bytes = record().encode().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"cost":7,"lost":{"tokens":0,"usd":0},"lost_attempts":0,"#,
                r#""model":{"base_url":"http://h/v1","model":"m","provider":"openai"},"#,
                r#""response":{"answered_by":"m-1","decoded_lossily":false,"finish":{"other":"odd"},"#,
                r#""reasoning":null,"request_id":"r","text":"ok","tool_calls":[],"#,
                r#""usage":{"cache_write":0,"cached_input":0,"input":3,"output":1,"reasoning":0},"#,
                r#""usage_estimated":false},"retries":{"rate_limited":2},"role":"reflector","version":2,"#,
                r#""waited_ms":40}"#
            )
        );
        assert_eq!(CallRecord::decode("s#0", &bytes).unwrap(), record());
        let newer = text.replace(r#""version":2"#, r#""version":3"#);
        assert!(CallRecord::decode("s#0", newer.as_bytes()).unwrap_err().to_string().contains("format 3"));
    }

    #[test]
    fn an_answer_that_was_bought_with_version_1_is_not_bought_again() {
        let text = String::from_utf8(record().encode().unwrap()).unwrap();
        let first = text
            .replace(r#""version":2,"waited_ms":40"#, r#""version":1"#)
            .replace(r#""retries":{"rate_limited":2},"#, "");
        let read = CallRecord::decode("s#0", first.as_bytes()).unwrap();
        assert_eq!((read.response, read.waited_ms, read.retries.len()), (record().response, 0, 0));
    }
}
