//! The cards (appendix B.1): field names are the contract with the construction models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::Digest;
use crate::error::DomainError;
use crate::ids::{CardId, FunctionName};

/// One observed argument of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArgumentNote {
    /// Exactly one observed argument key.
    pub name: String,
    /// What the argument means, as observed.
    pub meaning: String,
    /// The form of its values: a placeholder, an enum, a bound.
    pub value_form: String,
}

/// A tool-level contract, shared by all abilities (§3.2, an element f_u of F).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionCard {
    /// `function::App.function`.
    pub card_id: CardId,
    /// `App.function`.
    pub tool: FunctionName,
    /// The application family.
    pub app: String,
    /// The callable name.
    pub function: String,
    /// One statement of the observed capability.
    pub what_it_does: String,
    /// Observed arguments.
    pub arguments: Vec<ArgumentNote>,
    /// Return kind, useful fields, empty behaviour.
    pub returns: String,
    /// How to call it well.
    pub usage_rules: Vec<String>,
    /// Mistakes that were seen.
    pub common_mistakes: Vec<String>,
    /// Observed state changes; never empty for a function that was seen to write.
    pub side_effects: Vec<String>,
    /// What the card adds over live documentation (AppWorld).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doc_delta_notes: Vec<String>,
    /// A safe usage pattern in Python (AppWorld), checked on its syntax tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_idiom: Option<String>,
}

impl FunctionCard {
    /// The id that a function's card must have.
    ///
    /// # Errors
    /// Never for a valid name; the error type is the constructor's.
    pub fn id_of(function: &FunctionName) -> Result<CardId, DomainError> {
        CardId::new(format!("function::{function}"))
    }

    /// Every free text of the card, with the field that it stands in.
    #[must_use]
    pub fn texts(&self) -> Vec<(&'static str, &str)> {
        let mut texts =
            vec![("what_it_does", self.what_it_does.as_str()), ("returns", self.returns.as_str())];
        for argument in &self.arguments {
            texts.push(("arguments.meaning", &argument.meaning));
            texts.push(("arguments.value_form", &argument.value_form));
        }
        let lists: [(&'static str, &Vec<String>); 4] = [
            ("usage_rules", &self.usage_rules),
            ("common_mistakes", &self.common_mistakes),
            ("side_effects", &self.side_effects),
            ("doc_delta_notes", &self.doc_delta_notes),
        ];
        for (field, list) in lists {
            texts.extend(list.iter().map(|text| (field, text.as_str())));
        }
        texts.extend(self.code_idiom.iter().map(|text| ("code_idiom", text.as_str())));
        texts
    }
}

/// The transferable lesson of a Skill Card.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillBody {
    /// One if-then, ordering, obligation, recovery or stopping rule.
    pub core_rule: String,
    /// When the task, branch or search is done.
    pub completion_condition: Vec<String>,
    /// What stronger runs did.
    pub success_contrast: Vec<String>,
    /// Root causes in weaker runs.
    pub failure_contrast: Vec<String>,
    /// What to do once the failure state has appeared.
    pub recovery: Vec<String>,
    /// What shorter passing runs left out.
    pub efficiency: Vec<String>,
    /// Ordered steps in words (AppWorld).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedure_sketch: Vec<String>,
}

/// The observed grounds of a Skill Card.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillEvidence {
    /// Feedback labels.
    pub observed_feedback: Vec<String>,
    /// `before -> after`.
    pub state_transition: Vec<String>,
    /// Good response shapes, de-identified.
    pub good_examples: Vec<String>,
    /// Bad response shapes, de-identified.
    pub bad_examples: Vec<String>,
}

/// A candidate rule from the Reflector (§3.3, an element δ of Δ), and the content of a Skill Card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillDelta {
    /// A short transferable name.
    pub title: String,
    /// The observable state that should retrieve the card.
    pub applies_when: String,
    /// The reusable problem.
    pub solves: String,
    /// 3 to 8 lowercase retrieval keywords.
    pub tags: Vec<String>,
    /// The lesson.
    pub skill: SkillBody,
    /// Its grounds.
    pub evidence: SkillEvidence,
    /// Observed `App.function` names that the lesson concerns.
    pub functions_used: Vec<FunctionName>,
}

impl SkillDelta {
    /// Every free text of the delta, with the field that it stands in.
    #[must_use]
    pub fn texts(&self) -> Vec<(&'static str, &str)> {
        let mut texts = vec![
            ("title", self.title.as_str()),
            ("applies_when", self.applies_when.as_str()),
            ("solves", self.solves.as_str()),
            ("skill.core_rule", self.skill.core_rule.as_str()),
        ];
        let lists: [(&'static str, &Vec<String>); 11] = [
            ("tags", &self.tags),
            ("skill.completion_condition", &self.skill.completion_condition),
            ("skill.success_contrast", &self.skill.success_contrast),
            ("skill.failure_contrast", &self.skill.failure_contrast),
            ("skill.recovery", &self.skill.recovery),
            ("skill.efficiency", &self.skill.efficiency),
            ("skill.procedure_sketch", &self.skill.procedure_sketch),
            ("evidence.observed_feedback", &self.evidence.observed_feedback),
            ("evidence.state_transition", &self.evidence.state_transition),
            ("evidence.good_examples", &self.evidence.good_examples),
            ("evidence.bad_examples", &self.evidence.bad_examples),
        ];
        for (field, list) in lists {
            texts.extend(list.iter().map(|text| (field, text.as_str())));
        }
        texts
    }

    /// The id of the card that an ADD of this delta makes: a digest of its content, so that the
    /// same decisions give the same ids on every machine.
    ///
    /// # Errors
    /// [`DomainError::NotCanonical`] when the delta cannot be serialised.
    pub fn card_id(&self) -> Result<CardId, DomainError> {
        let digest = Digest::of_value("skill delta", self)?;
        CardId::new(format!("skill::skill_{}", digest.to_string().chars().take(16).collect::<String>()))
    }
}

/// A task-level procedure in an ability's bank (§3.3, an element of S_a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillCard {
    /// `skill::skill_<hex>`; a card keeps its id through PATCH, MERGE and NARROW.
    pub card_id: CardId,
    /// The card's content: the delta's compact fields.
    #[serde(flatten)]
    pub content: SkillDelta,
}
