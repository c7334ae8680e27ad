//! Function Card Builder (§3.2, appendix B.3): one question per observed function.

use palaestra_domain::{FunctionCard, FunctionEvidence};

use super::construct::Construction;
use super::error::Error;
use super::model::{CardQuestion, Reply};

/// Asks for the card of one function.
///
/// # Errors
/// [`Error`] when the model cannot be asked.
pub async fn build(
    construction: &Construction,
    evidence: &FunctionEvidence,
) -> Result<Reply<FunctionCard>, Error> {
    let scope = format!("function/{}", evidence.target_tool);
    let question =
        CardQuestion { evidence, documentation: construction.documentation_of(&evidence.target_tool) };
    construction.model.build_function_card(&scope, &question).await
}
