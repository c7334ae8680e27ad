//! The customer: says the whole request at once, agrees to everything, and ends the conversation
//! when the agent asks nothing more. The agent's words have the user's role here.

use super::cases::Case;
use super::plan::{HANDED_OVER, QUESTION};
use crate::chat::{ChatMessage, ChatRequest};
use crate::error::Error;

/// The customer's next words.
///
/// # Errors
/// [`Error::Lacks`] when nothing was said to the customer.
pub(super) fn answer(request: &ChatRequest, case: &Case) -> Result<String, Error> {
    let mut heard = None;
    let mut spoken = false;
    for message in &request.messages {
        match message {
            ChatMessage::User { content } => heard = Some(content.as_str()),
            ChatMessage::Assistant { .. } => spoken = true,
            _ => {}
        }
    }
    let heard = heard.ok_or(Error::Lacks("the agent's words"))?;
    Ok(match heard {
        _ if !spoken => case.opening.clone(),
        words if words.contains(HANDED_OVER) => "###TRANSFER###".to_owned(),
        words if words.ends_with(QUESTION) => "Yes, please go ahead.".to_owned(),
        _ => "Thank you, that is all. ###STOP###".to_owned(),
    })
}
