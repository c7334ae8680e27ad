//! Function names on the wire: services take letters, digits, `_` and `-` only, ours have a dot.

use std::collections::BTreeMap;

use palaestra_domain::Digest;
use palaestra_domain::tool::ToolSpec;

/// Longest name that every service takes.
const MAX_LEN: usize = 64;

/// The two-way map for the tools of one request.
#[derive(Debug)]
pub(super) struct WireNames {
    ours_to_wire: BTreeMap<String, String>,
    wire_to_ours: BTreeMap<String, String>,
}

impl WireNames {
    /// Gives each tool a wire name of its own.
    pub(super) fn new(tools: &[ToolSpec]) -> Self {
        let mut names = Self { ours_to_wire: BTreeMap::new(), wire_to_ours: BTreeMap::new() };
        for tool in tools {
            let ours = tool.name.as_str();
            let plain = plain(ours);
            let wire = if plain.len() > MAX_LEN || names.wire_to_ours.contains_key(&plain) {
                distinct(ours, &plain)
            } else {
                plain
            };
            names.wire_to_ours.insert(wire.clone(), ours.to_owned());
            names.ours_to_wire.insert(ours.to_owned(), wire);
        }
        names
    }

    /// The wire name of one of our names; of a name that is not among the tools (a call that the
    /// model made up earlier), the nearest valid one.
    pub(super) fn to_wire(&self, ours: &str) -> String {
        self.ours_to_wire.get(ours).cloned().unwrap_or_else(|| {
            let plain = plain(ours);
            if plain.len() > MAX_LEN { distinct(ours, &plain) } else { plain }
        })
    }

    /// Our name of a wire name; a name that the model made up stays as it is.
    pub(super) fn to_ours(&self, wire: &str) -> String {
        self.wire_to_ours.get(wire).cloned().unwrap_or_else(|| wire.to_owned())
    }
}

fn plain(ours: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    ours.replace('.', "__").chars().map(valid).collect()
}

fn distinct(ours: &str, plain: &str) -> String {
    let head: String = plain.chars().take(MAX_LEN - 13).collect();
    format!("{head}_{}", Digest::of(ours.as_bytes()).short())
}

#[cfg(test)]
mod tests {
    use palaestra_domain::FunctionName;
    use palaestra_domain::tool::Effect;

    use super::*;

    #[test]
    fn names_come_back_as_they_went_even_when_they_collide_or_are_long() {
        let ours =
            ["Mail.send".to_owned(), "A.b__c".into(), "A.b.c".into(), format!("A.{}", "x".repeat(100))];
        let tools: Vec<_> = ours
            .iter()
            .map(|name| ToolSpec {
                name: FunctionName::parse(name).unwrap(),
                description: String::new(),
                parameters: serde_json::json!({}),
                effect: Effect::Read,
            })
            .collect();
        let names = WireNames::new(&tools);
        assert_eq!(names.to_wire("Mail.send"), "Mail__send");
        for name in &ours {
            let wire = names.to_wire(name);
            assert!(wire.len() <= MAX_LEN && !wire.contains('.'), "{wire}");
            assert_eq!(&names.to_ours(&wire), name);
        }
        assert_eq!(names.to_ours("made_up"), "made_up");
        assert_eq!(names.to_wire("made up!"), "made_up_");
    }
}
