//! Function names on the wire: services take no dot, so ours travel with two underscores for it.

use std::collections::BTreeMap;

use palaestra_domain::tool::ToolSpec;

/// A name as it travels.
pub(super) fn wire(ours: &str) -> String {
    ours.replace('.', "__")
}

/// From the names that travel to ours.
#[derive(Debug)]
pub(super) struct Names(BTreeMap<String, String>);

impl Names {
    /// The names of these tools.
    pub(super) fn of(tools: &[ToolSpec]) -> Self {
        Self(tools.iter().map(|tool| (wire(tool.name.as_str()), tool.name.to_string())).collect())
    }

    /// Our name; a name that is none of ours stays as it is.
    pub(super) fn ours(&self, wire: &str) -> String {
        self.0.get(wire).cloned().unwrap_or_else(|| wire.to_owned())
    }
}
