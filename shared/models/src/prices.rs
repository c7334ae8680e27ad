//! What tokens cost: a dated table of integer nano-dollars, and the explicit state "not known".

use std::collections::BTreeMap;
use std::path::Path;

use palaestra_domain::{Digest, NanoUsd, TokenUsage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;

const EMBEDDED: &str = include_str!("prices.toml");

/// List price of one model, in nano-dollars per token. A price of $2.50 for a million tokens is 2500.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// A prompt token that was neither read from nor written to the cache.
    pub input: u64,
    /// A prompt token that was read from the cache.
    pub cached_input: u64,
    /// A prompt token that was written to the cache.
    pub cache_write: u64,
    /// A completion token, reasoning included.
    pub output: u64,
}

impl Price {
    /// What a call with this usage costs.
    #[must_use]
    pub fn cost(&self, usage: TokenUsage) -> NanoUsd {
        let plain = usage.input.saturating_sub(usage.cached_input).saturating_sub(usage.cache_write);
        let parts = [
            (plain, self.input),
            (usage.cached_input, self.cached_input),
            (usage.cache_write, self.cache_write),
            (usage.output, self.output),
        ];
        NanoUsd(
            parts
                .into_iter()
                .fold(0, |sum: u64, (tokens, price)| sum.saturating_add(tokens.saturating_mul(price))),
        )
    }

    /// The most that a call can cost whose prompt may be written to the cache as a whole.
    #[must_use]
    pub fn worst_cost(&self, input: u64, output: u64) -> NanoUsd {
        let input_price = self.input.max(self.cache_write).max(self.cached_input);
        NanoUsd(input.saturating_mul(input_price).saturating_add(output.saturating_mul(self.output)))
    }
}

/// A price table with its date.
#[derive(Debug, Clone)]
pub struct PriceTable {
    date: String,
    digest: Digest,
    prices: BTreeMap<String, Price>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    date: String,
    model: Vec<ModelRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelRow {
    names: Vec<String>,
    price: Price,
}

impl PriceTable {
    /// The table that is built into the program.
    ///
    /// # Errors
    /// [`Error::Prices`] when the embedded file is wrong, which a test rules out.
    pub fn embedded() -> Result<Self, Error> {
        Self::parse("built into the program", EMBEDDED)
    }

    /// A table of the user's own, in the same format. It replaces the built-in one.
    ///
    /// # Errors
    /// [`Error::Prices`] when the file cannot be read or is not a price table.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let origin = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::Prices { origin: origin.clone(), message: error.to_string() })?;
        Self::parse(&origin, &text)
    }

    fn parse(origin: &str, text: &str) -> Result<Self, Error> {
        let fail = |message: String| Error::Prices { origin: origin.to_owned(), message };
        let file: TableFile = toml::from_str(text).map_err(|error| fail(error.to_string()))?;
        let mut prices = BTreeMap::new();
        for row in file.model {
            for name in row.names {
                if prices.insert(name.clone(), row.price).is_some() {
                    return Err(fail(format!("model {name:?} has two prices")));
                }
            }
        }
        Ok(Self { date: file.date, digest: Digest::of(text.as_bytes()), prices })
    }

    /// The date on which the prices were read, as written in the table.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.date
    }

    /// The content address of the table's text, for the run's manifest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The price of a model by its exact name; `None` when the table does not know it.
    #[must_use]
    pub fn get(&self, model: &str) -> Option<Price> {
        self.prices.get(model).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_reads_and_cached_tokens_cost_their_own_price() {
        let table = PriceTable::embedded().unwrap();
        let price = table.get("gpt-4o").unwrap();
        let usage =
            TokenUsage { input: 1_000, cached_input: 400, cache_write: 0, output: 100, reasoning: 50 };
        assert_eq!(price.cost(usage), NanoUsd(600 * 2_500 + 400 * 1_250 + 100 * 10_000));
        assert_eq!(table.get("a-model-nobody-priced"), None);
    }

    #[test]
    fn a_table_with_a_second_price_or_an_unknown_field_is_refused() {
        let row = "[[model]]\nnames = [\"a\"]\nprice = { input = 1, cached_input = 1, cache_write = 1, output = 1 }\n";
        let twice = format!("date = \"2026-01-01\"\n{row}{row}");
        assert!(PriceTable::parse("x", &twice).unwrap_err().to_string().contains("two prices"));
        let unknown = format!("date = \"2026-01-01\"\ncurrency = \"EUR\"\n{row}");
        assert!(PriceTable::parse("x", &unknown).unwrap_err().to_string().contains("currency"));
    }

    #[test]
    fn the_worst_case_covers_every_split_of_the_prompt() {
        let price = Price { input: 3_000, cached_input: 300, cache_write: 3_750, output: 15_000 };
        let worst = price.worst_cost(1_000, 10);
        for (cached_input, cache_write) in [(0, 0), (1_000, 0), (0, 1_000), (400, 600)] {
            let usage = TokenUsage { input: 1_000, cached_input, cache_write, output: 10, reasoning: 0 };
            assert!(price.cost(usage) <= worst);
        }
    }
}
