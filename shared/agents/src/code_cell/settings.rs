//! What can be set about an agent that writes code, beside its model.

/// Settings of an agent that writes code; all of them change what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CodeCellSettings {
    /// The most completion tokens of one turn, reasoning included.
    pub max_output_tokens: u32,
    /// Sampling temperature; `None` leaves it to the service.
    pub temperature: Option<f64>,
    /// The most characters of one output that the model is shown; a cut is marked. The trajectory
    /// keeps the whole output.
    pub most_output_chars: usize,
}

impl Default for CodeCellSettings {
    fn default() -> Self {
        Self { max_output_tokens: 4_096, temperature: None, most_output_chars: 20_000 }
    }
}
