//! The office's whole state, and the way from a call to the app that answers it.

use palaestra_domain::{Digest, DomainError};
use serde::Serialize;
use serde_json::{Map, Value};

use super::apps::{calendar, contacts, files, mail, messages, shop};
use super::tool::{Args, Tool};

/// All tools, app by app.
pub(crate) const TOOLS: [&[Tool]; 6] =
    [mail::TOOLS, calendar::TOOLS, contacts::TOOLS, messages::TOOLS, files::TOOLS, shop::TOOLS];

/// The state of the six apps. Time stands still: `now` dates everything that an agent creates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct World {
    /// The minute at which the attempt takes place, `YYYY-MM-DD HH:MM`.
    pub(crate) now: String,
    /// The user's own address.
    pub(crate) owner: String,
    pub(crate) mail: mail::Mail,
    pub(crate) calendar: calendar::Calendar,
    pub(crate) contacts: contacts::Contacts,
    pub(crate) messages: messages::Messages,
    pub(crate) files: files::Files,
    pub(crate) shop: shop::Shop,
}

impl World {
    /// Performs one call: checks it, then lets the app act. The error is a sentence for the
    /// agent, and then nothing has changed.
    pub(crate) fn call(&mut self, function: &str, arguments: &Map<String, Value>) -> Result<Done, String> {
        let tool = tool(function)
            .ok_or_else(|| format!("there is no function `{function}`: use one that is listed"))?;
        let args = tool.check(arguments)?;
        let content = (tool.run)(self, &args)?;
        Ok(Done { tool, args, content })
    }

    /// The hash of the whole state.
    pub(crate) fn digest(&self) -> Result<Digest, DomainError> {
        Digest::of_value("workshop state", self)
    }
}

/// A call that was performed.
pub(crate) struct Done {
    pub(crate) tool: &'static Tool,
    /// The arguments with everything that was left out filled in.
    pub(crate) args: Args,
    pub(crate) content: Value,
}

/// The tool of this name.
pub(crate) fn tool(function: &str) -> Option<&'static Tool> {
    TOOLS.iter().flat_map(|tools| tools.iter()).find(|tool| tool.is(function))
}

/// An id for something that an agent creates. It comes from the content, so that the order of two
/// independent writes leaves no trace in the final state.
pub(crate) fn fresh_id(
    prefix: &str,
    content: &impl Serialize,
    taken: impl Fn(&str) -> bool,
) -> Result<String, String> {
    let digest = Digest::of_value("new item", content).map_err(|error| error.to_string())?;
    let mut id = format!("{prefix}-{}", digest.short());
    while taken(&id) {
        id.push('x');
    }
    Ok(id)
}
