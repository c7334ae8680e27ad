//! The scripted user: answers a question about what the instruction left open, and nothing else.

/// What the user knows beyond the instruction.
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    /// Words of which a question has to mention one.
    pub(crate) topics: Vec<String>,
    /// What clears the matter up; none when the instruction leaves nothing open.
    pub(crate) answer: Option<String>,
}

impl User {
    /// A user whose instruction says everything.
    pub(crate) fn silent() -> Self {
        Self::default()
    }

    /// A user who has to be asked.
    pub(crate) fn knows(topics: &[&str], answer: String) -> Self {
        Self { topics: topics.iter().map(|topic| topic.to_lowercase()).collect(), answer: Some(answer) }
    }

    /// The reply to some words, and whether they asked for what was open.
    pub(crate) fn reply(&self, text: &str) -> (String, bool) {
        let text = text.to_lowercase();
        let asks = text.contains('?');
        match &self.answer {
            Some(answer) if asks && self.topics.iter().any(|topic| text.contains(topic)) => {
                (answer.clone(), true)
            }
            Some(_) if asks => ("I do not understand. What exactly do you need to know?".to_owned(), false),
            None if asks => ("All that I know stands in my request and in the apps.".to_owned(), false),
            _ => ("Thank you, please go on.".to_owned(), false),
        }
    }
}
