//! Prompts: templates that a scientist edits, rendered strictly.
//!
//! Callers embed their templates with `include_str!`. A name that the context does not have is an
//! error, never an empty text.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use palaestra_domain::Digest;
use serde::Serialize;

use crate::error::Error;

/// A set of named templates.
#[derive(Debug)]
pub struct Prompts {
    environment: Environment<'static>,
    digest: Digest,
}

impl Prompts {
    /// Reads the templates, each as `(name, source)`.
    ///
    /// # Errors
    /// [`Error::Prompt`] with the line of a syntax error.
    pub fn new(templates: &[(&'static str, &'static str)]) -> Result<Self, Error> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        // A block tag on a line of its own leaves no line behind.
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|source| Error::Prompt { name: String::new(), source })?);
        for (name, source) in templates {
            environment
                .add_template(name, source)
                .map_err(|source| Error::Prompt { name: (*name).to_owned(), source })?;
        }
        Ok(Self { environment, digest: Digest::of_value("prompt templates", &templates)? })
    }

    /// The content address of all templates, for the run's manifest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The text of a template with the values of `context`.
    ///
    /// # Errors
    /// [`Error::Prompt`] when there is no such template or a value is missing.
    pub fn render<C: Serialize>(&self, name: &str, context: &C) -> Result<String, Error> {
        self.environment
            .get_template(name)
            .and_then(|template| template.render(Value::from(Serde(context))))
            .map_err(|source| Error::Prompt { name: name.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_values_are_errors_and_nothing_is_escaped() {
        let prompts =
            Prompts::new(&[("ask", "Task: {{ task }}\n{% for f in functions %}\n- {{ f }}\n{% endfor %}\n")])
                .unwrap();
        let text = prompts.render("ask", &json!({ "task": "<a> & \"b\"", "functions": ["x", "y"] })).unwrap();
        assert_eq!(text, "Task: <a> & \"b\"\n- x\n- y\n");
        assert!(matches!(prompts.render("ask", &json!({ "task": "t" })), Err(Error::Prompt { .. })));
        assert!(
            matches!(prompts.render("other", &json!({})), Err(Error::Prompt { name, .. }) if name == "other")
        );
    }

    #[test]
    fn a_changed_template_changes_the_digest() {
        let one = Prompts::new(&[("ask", "a")]).unwrap();
        let two = Prompts::new(&[("ask", "b")]).unwrap();
        assert_ne!(one.digest(), two.digest());
        assert!(matches!(Prompts::new(&[("ask", "{{ a")]), Err(Error::Prompt { .. })));
    }
}
