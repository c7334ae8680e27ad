//! The tools that a model is offered, and what a proposed call comes to. Carries out nothing.

use std::collections::BTreeMap;

use palaestra_domain::FunctionName;
use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_domain::trajectory::Arguments;
use palaestra_environments::contract::UserPart;
use palaestra_models::{Arguments as Proposed, ToolCall};
use serde_json::{Map, Value, json};

use crate::error::Error;

/// The tool that ends an attempt, offered beside the environment's own. No environment has an
/// application of this name.
pub const FINISH: &str = "attempt.finish";

/// The application under which a made-up name without one is written down.
const NOWHERE: &str = "unknown";

/// The longest part of a made-up name that is kept, in characters.
const LONGEST: usize = 128;

/// The tools of one attempt.
#[derive(Debug)]
pub(super) struct Toolbox {
    effects: BTreeMap<String, (FunctionName, Effect)>,
}

/// What a proposed call comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Proposal {
    /// The environment is called, with the effect of the function.
    Call(FunctionName, Effect, Map<String, Value>),
    /// The attempt ends with this final response.
    Finish(String),
    /// Nothing is called, and the model is told why.
    Refused {
        /// The function, as far as the name is one.
        function: FunctionName,
        /// The arguments as they came.
        arguments: Arguments,
        /// What the function does; none when it is not offered.
        offered: Option<Effect>,
        /// The words for the model.
        why: String,
    },
}

impl Toolbox {
    /// The tools as a model is offered them, and the box that reads its calls.
    ///
    /// # Errors
    /// None that could happen: the finish tool has a valid name.
    pub(super) fn new(mut tools: Vec<ToolSpec>, user: UserPart) -> Result<(Self, Vec<ToolSpec>), Error> {
        if user == UserPart::Answers {
            tools.push(finish()?);
        }
        let effects =
            tools.iter().map(|tool| (tool.name.to_string(), (tool.name.clone(), tool.effect))).collect();
        Ok((Self { effects }, tools))
    }

    /// Reads a proposed call.
    ///
    /// # Errors
    /// None that could happen: a name is made valid before it is built.
    pub(super) fn read(&self, call: &ToolCall) -> Result<Proposal, Error> {
        let Some((function, effect)) = self.effects.get(&call.name) else {
            let why = format!("There is no tool `{}`. Call one of the tools that you were given.", call.name);
            let (function, arguments) = (made_up(&call.name)?, written(&call.arguments));
            return Ok(Proposal::Refused { function, arguments, offered: None, why });
        };
        let why = match &call.arguments {
            Proposed::Parsed { value, .. } if function.as_str() != FINISH => {
                return Ok(Proposal::Call(function.clone(), *effect, value.clone()));
            }
            Proposed::Parsed { value, .. } => match value.get("response") {
                Some(Value::String(response)) => return Ok(Proposal::Finish(response.clone())),
                _ => "`response` is missing or is no text. Nothing was ended; call again.".to_owned(),
            },
            Proposed::Malformed { problem, .. } => {
                format!("Nothing was called: {problem}. Call again with a JSON object.")
            }
        };
        let (function, arguments) = (function.clone(), written(&call.arguments));
        Ok(Proposal::Refused { function, arguments, offered: Some(*effect), why })
    }
}

fn finish() -> Result<ToolSpec, Error> {
    Ok(ToolSpec {
        name: FunctionName::parse(FINISH)?,
        description: "Ends the task. Call it once, when everything is done or cannot be done.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "response": {
                    "type": "string",
                    "description": "Your last word to the user, with everything in it that was asked for.",
                },
            },
            "required": ["response"],
            "additionalProperties": false,
        }),
        effect: Effect::Finalize,
    })
}

/// The arguments for the trajectory.
fn written(arguments: &Proposed) -> Arguments {
    match arguments {
        Proposed::Parsed { value, .. } => Arguments::Object(value.clone()),
        Proposed::Malformed { raw, problem } => {
            Arguments::Malformed { text: raw.clone(), error: problem.clone() }
        }
    }
}

/// A name that the model made up, as far as it can be written down as `App.function`.
fn made_up(name: &str) -> Result<FunctionName, Error> {
    if let Ok(function) = FunctionName::parse(name) {
        return Ok(function);
    }
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' };
    let text: String = name.chars().map(legal).take(LONGEST).collect();
    Ok(FunctionName::new(NOWHERE, if text.is_empty() { "_" } else { &text })?)
}
