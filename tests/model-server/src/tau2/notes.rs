//! What the notes in an agent's prompt are about.

/// How a memory's lesson begins where it is shown at the start of a task.
const LESSON: &str = "[skill]";

/// The lessons in the first words of a conversation.
#[derive(Debug)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// The lessons of a text: each is one line.
    pub(super) fn of(text: &str) -> Self {
        let lines = text.lines().filter(|line| line.contains(LESSON));
        Self(lines.map(|line| line.replace(['_', '.'], " ").to_lowercase()).collect())
    }

    /// Whether a lesson names this function, as it is written or in plain words.
    pub(super) fn name(&self, function: &str) -> bool {
        let words = function.replace('_', " ");
        self.0.iter().any(|lesson| lesson.contains(&words))
    }
}
