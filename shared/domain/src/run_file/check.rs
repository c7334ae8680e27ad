//! Holds a tree against a JSON Schema and collects every mistake with its line.
//!
//! Only what our own schemas use: `$ref` into `$defs`, `type`, `properties`, `required`,
//! `additionalProperties: false`, `items`, `enum`, `anyOf` with null, `minimum`. The rest of JSON
//! Schema is not needed, because the schema is generated from [`super::spec`].

use serde_json::Value;

use super::mistake::Mistake;
use super::tree::{Kind, Node};

/// All mistakes of a tree under a schema.
#[must_use]
pub fn check(root: &Node, schema: &Value) -> Vec<Mistake> {
    let mut checker = Checker { schema, mistakes: Vec::new() };
    checker.node(root, schema, "");
    checker.mistakes
}

struct Checker<'a> {
    schema: &'a Value,
    mistakes: Vec<Mistake>,
}

impl<'a> Checker<'a> {
    /// Follows `$ref`, and picks the non-null side of an optional value.
    fn resolve(&self, schema: &'a Value, node: &Node) -> Option<&'a Value> {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.schema.pointer(name.strip_prefix('#')?)?;
            return self.resolve(target, node);
        }
        if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
            let is_null = |s: &&Value| s.get("type").and_then(Value::as_str) == Some("null");
            if matches!(node.kind, Kind::Scalar(Value::Null)) && options.iter().any(|s| is_null(&s)) {
                return None;
            }
            return options.iter().find(|s| !is_null(s)).and_then(|s| self.resolve(s, node));
        }
        Some(schema)
    }

    fn node(&mut self, node: &Node, schema: &'a Value, path: &str) {
        let Some(schema) = self.resolve(schema, node) else { return };
        if !self.type_fits(node, schema, path) {
            return;
        }
        if let Some(allowed) = enum_values(schema) {
            self.one_of(node, &allowed, path);
        }
        match &node.kind {
            Kind::Map(fields) => self.object(node, fields, schema, path),
            Kind::List(items) => {
                if let Some(item_schema) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        self.node(item, item_schema, &format!("{path}[{index}]"));
                    }
                }
            }
            Kind::Scalar(value) => self.minimum(node, value, schema, path),
        }
    }

    fn object(&mut self, node: &Node, fields: &[(String, usize, Node)], schema: &'a Value, path: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties");
        for (key, line, value) in fields {
            let at = join(path, key);
            match (properties.and_then(|p| p.get(key)), additional) {
                (Some(property), _) => self.node(value, property, &at),
                (None, Some(extra @ Value::Object(_))) => self.node(value, extra, &at),
                (None, _) => {
                    let known: Vec<&str> =
                        properties.into_iter().flat_map(|p| p.keys().map(String::as_str)).collect();
                    self.push(*line, &at, format!("there is no such field; {}", suggest(key, &known)));
                }
            }
        }
        for required in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = required.as_str() else { continue };
            if !fields.iter().any(|(key, _, _)| key == name) {
                self.push(node.line, path, format!("the field `{name}` is missing"));
            }
        }
    }

    fn type_fits(&mut self, node: &Node, schema: &Value, path: &str) -> bool {
        let wanted: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        let fits = |wanted: &&str| match (*wanted, &node.kind) {
            ("object", Kind::Map(_)) | ("array", Kind::List(_)) => true,
            ("null", Kind::Scalar(value)) => value.is_null(),
            ("boolean", Kind::Scalar(value)) => value.is_boolean(),
            ("string", Kind::Scalar(value)) => value.is_string(),
            ("integer", Kind::Scalar(value)) => value.is_u64() || value.is_i64(),
            ("number", Kind::Scalar(value)) => value.is_number(),
            _ => false,
        };
        if wanted.iter().any(fits) {
            return true;
        }
        let wanted: Vec<&str> = wanted.into_iter().filter(|w| *w != "null").map(words_for).collect();
        self.push(node.line, path, format!("must be {}, not {}", wanted.join(" or "), describe(node)));
        false
    }

    fn one_of(&mut self, node: &Node, allowed: &[&str], path: &str) {
        let Kind::Scalar(Value::String(text)) = &node.kind else { return };
        if !allowed.contains(&text.as_str()) {
            self.push(node.line, path, format!("`{text}` is not known; {}", suggest(text, allowed)));
        }
    }

    fn minimum(&mut self, node: &Node, value: &Value, schema: &Value, path: &str) {
        let (Some(least), Some(value)) = (schema.get("minimum").and_then(Value::as_f64), value.as_f64())
        else {
            return;
        };
        if value < least {
            self.push(node.line, path, format!("must be at least {least}, not {value}"));
        }
    }

    fn push(&mut self, line: usize, path: &str, message: String) {
        self.mistakes.push(Mistake { line, path: path.to_owned(), message });
    }
}

/// The texts of an enum, in either of the two shapes that the generator writes.
fn enum_values(schema: &Value) -> Option<Vec<&str>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().filter_map(Value::as_str).collect());
    }
    let options = schema.get("oneOf")?.as_array()?;
    let of = |option: &'_ Value| -> Option<String> { Some(option.get("const")?.as_str()?.to_owned()) };
    options
        .iter()
        .all(|o| of(o).is_some())
        .then(|| options.iter().filter_map(|option| option.get("const").and_then(Value::as_str)).collect())
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn words_for(json_type: &str) -> &str {
    match json_type {
        "object" => "a mapping",
        "array" => "a list",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        _ => "text",
    }
}

fn describe(node: &Node) -> String {
    match &node.kind {
        Kind::Map(_) => "a mapping".to_owned(),
        Kind::List(_) => "a list".to_owned(),
        Kind::Scalar(Value::Null) => "nothing".to_owned(),
        Kind::Scalar(value) => format!("`{value}`"),
    }
}

/// `did you mean ...` for the closest known name, and the list of all.
pub(super) fn suggest(given: &str, known: &[&str]) -> String {
    let closest = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .min();
    match closest {
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => format!("known here: {}", known.join(", ")),
    }
}
