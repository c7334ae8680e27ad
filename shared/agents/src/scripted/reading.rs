//! Reading: listings page by page, single things, parts of texts.

use palaestra_domain::FunctionName;
use palaestra_environments::workshop::intent::{Binding, Keep};
use serde_json::{Map, Value};

use super::runner::{Halt, Runner, Step, unknown};
use crate::session::Stop;

impl Runner<'_, '_> {
    /// Collects what fits of a listing; whoever is hasty stops after the first page, whoever
    /// rushes reads the last one twice.
    pub(super) async fn gather(
        &mut self,
        into: Binding,
        listing: &str,
        arguments: &Map<String, Value>,
        keep: &[Keep],
    ) -> Step {
        let mut arguments = self.bound.fill_map(arguments).map_err(unknown)?;
        let mut found = Vec::new();
        let mut number = 1_u32;
        loop {
            if number > 1 {
                arguments.insert("page".to_owned(), Value::from(number));
            }
            let page = self.read(listing, arguments.clone()).await?;
            for item in page.get("items").and_then(Value::as_array).into_iter().flatten() {
                if self.bound.fits(item, keep).map_err(unknown)? {
                    found.push(item.clone());
                }
            }
            let has_more = page.get("has_more").and_then(Value::as_bool).unwrap_or(false);
            if !has_more || self.habits.first_page_only {
                break;
            }
            number += 1;
        }
        if self.habits.rushes {
            self.read(listing, arguments).await?;
        }
        self.bound.set(into, Value::Array(found));
        Ok(())
    }

    /// Narrows a list without a call.
    pub(super) fn narrow(&mut self, into: Binding, from: Binding, keep: &[Keep]) -> Step {
        let mut found = Vec::new();
        for item in self.bound.list(from) {
            if self.bound.fits(&item, keep).map_err(unknown)? {
                found.push(item);
            }
        }
        self.bound.set(into, Value::Array(found));
        Ok(())
    }

    /// Looks at one thing.
    pub(super) async fn look(
        &mut self,
        into: Binding,
        function: &str,
        arguments: &Map<String, Value>,
    ) -> Step {
        let arguments = self.bound.fill_map(arguments).map_err(unknown)?;
        let shown = self.read(function, arguments).await?;
        self.bound.set(into, shown);
        Ok(())
    }

    /// Takes what stands between two words of a text.
    pub(super) fn extract(&mut self, into: Binding, text: &str, after: &str, until: &str) -> Step {
        let text = self.bound.fill_text(text).map_err(unknown)?;
        let part =
            text.split_once(after).and_then(|(_, rest)| rest.split_once(until)).map(|(part, _)| part.trim());
        let part = part.ok_or_else(|| unknown(format!("what follows \"{}\"", after.trim())))?;
        self.bound.set_field(into, "text", part);
        Ok(())
    }

    /// Calls a reading function; a refusal is the end of what this agent knows to do.
    async fn read(&mut self, function: &str, arguments: Map<String, Value>) -> Result<Value, Halt> {
        let result = self.session.call(&name(function)?, arguments).await?;
        if result.error {
            return Err(Halt::GaveUp(result.content));
        }
        serde_json::from_str(&result.content)
            .map_err(|error| Halt::GaveUp(format!("{function} is unreadable: {error}")))
    }
}

/// A function's name as a value.
pub(super) fn name(function: &str) -> Result<FunctionName, Halt> {
    FunctionName::parse(function).map_err(|error| Halt::Stop(Stop::Unable(error.to_string())))
}
