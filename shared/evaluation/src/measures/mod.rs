//! Every measure of one table of episodes, computed once: what tables, charts and records are views of.

mod arm;
mod comparison;
mod overview;

pub use arm::Arm;
pub use comparison::{AbilityEvents, Comparison};
pub use overview::{Control, Measures, TargetMean};
