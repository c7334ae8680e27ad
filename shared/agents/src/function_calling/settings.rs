//! What can be set about a function-calling agent beside its model.

/// Settings of a function-calling agent; all of them change what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionCallingSettings {
    /// The most completion tokens of one turn, reasoning included.
    pub max_output_tokens: u32,
    /// Sampling temperature; `None` leaves it to the service.
    pub temperature: Option<f64>,
    /// The most characters of one result that the model is shown; a cut is marked. The trajectory
    /// keeps the whole result.
    pub most_result_chars: usize,
}

impl Default for FunctionCallingSettings {
    fn default() -> Self {
        Self { max_output_tokens: 4_096, temperature: None, most_result_chars: 60_000 }
    }
}
