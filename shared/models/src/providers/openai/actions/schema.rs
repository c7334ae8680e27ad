//! The schema of one action: one of the tools, or words.

use palaestra_domain::tool::ToolSpec;
use serde_json::{Map, Value, json};

use super::{SAY, TOOL};

/// Longest text in an action, in characters. Without a bound a small model writes on until the output
/// limit cuts its JSON.
const MOST_CHARS: u64 = 500;

/// Most entries of a list in an action, for the same reason.
const MOST_ENTRIES: u64 = 50;

/// The schema of an action under which one of `tools` is called or something is said.
pub(super) fn action(tools: &[ToolSpec]) -> Value {
    let mut shared = Map::new();
    let words = json!({
        "type": "object",
        "properties": { "text": { "type": "string", "maxLength": MOST_CHARS } },
        "required": ["text"],
        "additionalProperties": false,
    });
    let mut branches = vec![branch(SAY, words)];
    for tool in tools {
        let name = tool.name.as_str();
        let mut parameters = tool.parameters.clone();
        share(name, &mut parameters, &mut shared);
        bound(&mut parameters);
        branches.push(branch(name, parameters));
    }
    let mut schema = json!({ "anyOf": branches });
    if let Some(object) = schema.as_object_mut().filter(|_| !shared.is_empty()) {
        let mut shared = Value::Object(shared);
        bound(&mut shared);
        object.insert("$defs".to_owned(), shared);
    }
    schema
}

fn branch(name: &str, arguments: Value) -> Value {
    json!({
        "type": "object",
        "properties": { TOOL: { "const": name }, "arguments": arguments },
        "required": [TOOL, "arguments"],
        "additionalProperties": false,
    })
}

/// Moves a tool's own definitions to where `#/$defs` points now, under names that no other tool has.
fn share(tool: &str, parameters: &mut Value, shared: &mut Map<String, Value>) {
    let own = parameters.as_object_mut().and_then(|object| object.remove("$defs"));
    let Some(Value::Object(own)) = own else { return };
    rename(tool, parameters);
    for (name, mut definition) in own {
        rename(tool, &mut definition);
        shared.insert(format!("{tool}.{name}"), definition);
    }
}

fn rename(tool: &str, schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get_mut("$ref")
                && let Some(name) = target.strip_prefix("#/$defs/")
            {
                *target = format!("#/$defs/{tool}.{name}");
            }
            object.values_mut().for_each(|value| rename(tool, value));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename(tool, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Gives every text and every list a bound that has none.
fn bound(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let missing = match object.get("type").and_then(Value::as_str) {
                Some("string") if !object.contains_key("enum") => Some(("maxLength", MOST_CHARS)),
                Some("array") => Some(("maxItems", MOST_ENTRIES)),
                _ => None,
            };
            if let Some((key, most)) = missing {
                object.entry(key).or_insert_with(|| json!(most));
            }
            object.values_mut().for_each(bound);
        }
        Value::Array(list) => list.iter_mut().for_each(bound),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use palaestra_domain::FunctionName;
    use palaestra_domain::tool::Effect;

    use super::*;

    fn tool(name: &str, parameters: Value) -> ToolSpec {
        let name = FunctionName::parse(name).unwrap();
        ToolSpec { name, description: String::new(), parameters, effect: Effect::Read }
    }

    #[test]
    fn texts_and_lists_are_bounded_and_definitions_stay_reachable() {
        let parameters = json!({
            "type": "object",
            "$defs": { "Person": { "type": "object", "properties": { "name": { "type": "string" } } } },
            "properties": {
                "people": { "type": "array", "items": { "$ref": "#/$defs/Person" } },
                "short": { "type": "string", "maxLength": 3 },
            },
            "required": ["people"],
        });
        let schema = action(&[tool("a.b", parameters.clone()), tool("a.c", parameters)]);
        let arguments = &schema["anyOf"][2]["properties"]["arguments"];
        assert_eq!(arguments["properties"]["people"]["maxItems"], MOST_ENTRIES);
        assert_eq!(arguments["properties"]["people"]["items"]["$ref"], "#/$defs/a.c.Person");
        assert_eq!(arguments["properties"]["short"]["maxLength"], 3);
        assert_eq!(schema["$defs"]["a.b.Person"]["properties"]["name"]["maxLength"], MOST_CHARS);
        let validator = jsonschema::validator_for(&schema).unwrap();
        let call = |name: &str| json!({ "action": "a.c", "arguments": { "people": [{ "name": name }] } });
        assert!(validator.is_valid(&call("x")));
        assert!(!validator.is_valid(&call(&"x".repeat(2_000))));
        assert!(!validator.is_valid(&json!({ "action": "a.d", "arguments": {} })));
        assert!(validator.is_valid(&json!({ "action": "say", "arguments": { "text": "Which one?" } })));
    }
}
