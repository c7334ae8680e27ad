//! Construction by a language model: our prompts, its structured answers, every call through the
//! journal.

use async_trait::async_trait;
use palaestra_domain::packet::ContrastKind;
use palaestra_domain::run_file::spec::ConstructionSpec;
use palaestra_domain::{CuratorPatch, Digest, FunctionCard, Profile, SkillDelta};
use palaestra_models::{
    ModelClient, ModelRef, ModelRequest, Output, OutputSchema, Prompts, Role, Structured,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::Error;
use super::model::{CardQuestion, ConstructionModel, Decision, Reflection, Refused, Reply};

/// The ledger's name for the Function Card Builder.
pub const BUILDER: Role = Role::new("function_card_builder");
/// The ledger's name for the Reflector.
pub const REFLECTOR: Role = Role::new("reflector");
/// The ledger's name for the Curator.
pub const CURATOR: Role = Role::new("curator");

/// Our prompts, one file each. Above the line `---` stand the instructions, which repeat from call
/// to call and are worth caching; below it the data.
const PROMPTS: [(&str, &str); 3] = [
    ("function_card_builder", include_str!("prompts/function_card_builder.md")),
    ("reflector", include_str!("prompts/reflector.md")),
    ("curator", include_str!("prompts/curator.md")),
];

/// A language model in the three construction roles.
pub struct LanguageModel {
    client: ModelClient,
    model: ModelRef,
    settings: ConstructionSpec,
    prompts: Prompts,
    card: Contract,
    deltas: Contract,
    patches: Contract,
}

/// What an answer must be: the form that is sent, and its validator.
struct Contract {
    output: Output,
    schema: OutputSchema,
}

impl Contract {
    fn of<T: JsonSchema>(name: &str) -> Result<Self, palaestra_models::Error> {
        let schema = schemars::schema_for!(T).to_value();
        let output = Output::JsonSchema { name: name.to_owned(), schema: schema.clone() };
        Ok(Self { output, schema: OutputSchema::new(name, schema)? })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Deltas {
    deltas: Vec<SkillDelta>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Patches {
    patches: Vec<CuratorPatch>,
}

impl LanguageModel {
    /// Prepares prompts and schemas.
    ///
    /// # Errors
    /// [`palaestra_models::Error`] when a template or schema is not valid.
    pub fn new(
        client: ModelClient,
        model: ModelRef,
        settings: ConstructionSpec,
    ) -> Result<Self, palaestra_models::Error> {
        Ok(Self {
            client,
            model,
            settings,
            prompts: Prompts::new(&PROMPTS)?,
            card: Contract::of::<FunctionCard>("function_card")?,
            deltas: Contract::of::<Deltas>("skill_deltas")?,
            patches: Contract::of::<Patches>("curator_patches")?,
        })
    }

    /// The content address of the prompts, for the run's identity.
    ///
    /// # Errors
    /// [`palaestra_models::Error`] when a template is not valid.
    pub fn prompts_digest() -> Result<Digest, palaestra_models::Error> {
        Ok(Prompts::new(&PROMPTS)?.digest())
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        scope: &str,
        role: Role,
        context: &impl Serialize,
        contract: &Contract,
    ) -> Result<Reply<T>, Error> {
        let failed = |source| Error::Model { scope: scope.to_owned(), source: Box::new(source) };
        let template = match role {
            BUILDER => "function_card_builder",
            REFLECTOR => "reflector",
            _ => "curator",
        };
        let text = self.prompts.render(template, context).map_err(failed)?;
        let (instructions, data) = text.split_once("\n---\n").unwrap_or(("", &text));
        let mut request =
            ModelRequest::new(self.model.clone(), instructions, data, self.settings.max_output_tokens);
        request.cache_system = true;
        request.temperature = self.settings.temperature;
        // The digest is the call's name in the journal, so it covers the form of the answer too.
        request.output = contract.output.clone();
        let digest = request.digest().map_err(failed)?;
        let answer =
            self.client.scope(scope).ask_structured(role, request, &contract.schema).await.map_err(failed)?;
        let value = match answer {
            Structured::Valid { value, .. } => Ok(value),
            Structured::Rejected(rejection) => {
                let answer = rejection.text.clone();
                Err(Refused { rejection: rejection.into(), answer })
            }
        };
        Ok(Reply { value, calls: vec![digest] })
    }
}

#[async_trait]
impl ConstructionModel for LanguageModel {
    async fn build_function_card(
        &self,
        scope: &str,
        question: &CardQuestion<'_>,
    ) -> Result<Reply<FunctionCard>, Error> {
        let evidence = question.evidence;
        let limits = self.settings.profile.limits();
        let context = json!({
            "target": evidence.target_tool,
            "app": evidence.target_tool.app(),
            "function": evidence.target_tool.function(),
            "writes": evidence.stats.write_calls > 0,
            "documentation": question.documentation,
            "limits": {
                "arguments": limits.arguments,
                "usage_rules": limits.usage_rules,
                "common_mistakes": limits.common_mistakes,
                "side_effects": limits.side_effects,
                "doc_delta_notes": limits.doc_delta_notes,
                "code_idiom_lines": limits.code_idiom_lines,
            },
            "evidence": pretty(evidence)?,
        });
        self.ask(scope, BUILDER, &context, &self.card).await
    }

    async fn reflect(&self, scope: &str, question: &Reflection<'_>) -> Result<Reply<Vec<SkillDelta>>, Error> {
        let packet = question.packet;
        let code_cells = self.settings.profile == Profile::CodeCells;
        let context = json!({
            "max_deltas": question.max_deltas,
            "signature_tag": code_cells.then(|| packet.task_signature.as_str()),
            "code_cells": code_cells,
            "all_failed": packet.contrast == ContrastKind::AllFailed,
            "focus": question.focus.trim(),
            "relevant": pretty(&question.relevant)?,
            "packet": pretty(packet)?,
        });
        let reply = self.ask::<Deltas>(scope, REFLECTOR, &context, &self.deltas).await?;
        Ok(Reply { value: reply.value.map(|answer| answer.deltas), calls: reply.calls })
    }

    async fn curate(&self, scope: &str, question: &Decision<'_>) -> Result<Reply<CuratorPatch>, Error> {
        let context = json!({
            "delta_index": question.delta_index,
            "delta": pretty(question.delta)?,
            "relevant": pretty(&question.relevant)?,
            "function_cards": pretty(&question.function_cards)?,
        });
        let reply = self.ask::<Patches>(scope, CURATOR, &context, &self.patches).await?;
        let value = reply.value.and_then(|answer| the_patch(answer.patches, question.delta_index));
        Ok(Reply { value, calls: reply.calls })
    }
}

/// The one patch of an answer, for the delta that was asked about.
fn the_patch(mut patches: Vec<CuratorPatch>, delta_index: usize) -> Result<CuratorPatch, Refused> {
    match (patches.pop(), patches.is_empty()) {
        (Some(patch), true) if patch.delta_index == delta_index => Ok(patch),
        (last, _) => {
            let count = patches.len() + usize::from(last.is_some());
            let detail = format!(
                "one patch for delta {delta_index} was asked for; {count} came, or for another delta"
            );
            let rejection = palaestra_domain::Rejection::new(
                palaestra_domain::RejectionReason::Malformed,
                "patches",
                detail,
            );
            let answer = serde_json::to_string(&(patches, last)).unwrap_or_default();
            Err(Refused { rejection, answer })
        }
    }
}

fn pretty<T: Serialize>(value: &T) -> Result<String, Error> {
    let fail = |error: serde_json::Error| {
        Error::Domain(palaestra_domain::DomainError::NotCanonical {
            what: "prompt data",
            message: error.to_string(),
        })
    };
    // Through a value, so that keys are sorted and the same data is always the same prompt.
    serde_json::to_string_pretty(&serde_json::to_value(value).map_err(fail)?).map_err(fail)
}
