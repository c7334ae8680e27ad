//! How a run file describes a model.

mod model;
mod run_file;

pub use model::{
    ModelSettings, RateLimits, RetrySettings, StructuredMode, Timeouts, TokenLimitField, ToolCallMode,
    WireOptions,
};
