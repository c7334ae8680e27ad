//! What can be set about a function-calling agent beside its model.

/// How an attempt ends, and so what a turn of words without a tool call means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ending {
    /// By the finish tool; words go to the user. For environments whose user only answers.
    #[default]
    ByTool,
    /// By the user, to whom words go; there is no finish tool. For environments whose user leads the
    /// conversation.
    ByUser,
    /// By words, which are the final response; there is no finish tool. For environments without a
    /// user.
    ByWords,
}

/// Settings of a function-calling agent; all of them change what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionCallingSettings {
    /// The most completion tokens of one turn, reasoning included.
    pub max_output_tokens: u32,
    /// Sampling temperature; `None` leaves it to the service.
    pub temperature: Option<f64>,
    /// How an attempt ends.
    pub ending: Ending,
    /// The most characters of one result that the model is shown; a cut is marked. The trajectory
    /// keeps the whole result.
    pub most_result_chars: usize,
}

impl Default for FunctionCallingSettings {
    fn default() -> Self {
        Self {
            max_output_tokens: 4_096,
            temperature: None,
            ending: Ending::default(),
            most_result_chars: 60_000,
        }
    }
}
