//! Validation on three levels (§3.4, Π_V of appendix A.8): schema and evidence, privacy, retrieval
//! preview. Every function returns all problems at once, as rejections that are counted and kept.

mod closure;
pub mod context;
pub mod documentation;
mod evidence;
mod generic_names;
mod idiom;
mod levels;
mod overlap;
pub mod preview;
pub mod privacy;
pub mod scenario;
mod schema;
mod shapes;
mod words;

#[cfg(test)]
mod tests;

pub use context::{DeltaContext, FunctionContext, PatchContext, PreviewContext};
pub use documentation::drop_restated;
pub use levels::{validate_delta, validate_function_card, validate_patch};
pub use preview::{Preview, Probe, ProbeReport, preview};
pub use privacy::{PrivacyRules, PrivacySources};
pub use scenario::ScenarioValues;
