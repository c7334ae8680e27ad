//! Success: rates per ability and their macro mean, scenarios, repeats.

mod ability;
mod rate;
mod repeats;
mod scenario;

pub use ability::{MacroMean, by_ability, macro_mean, macro_of_rates};
pub use rate::Rate;
pub use repeats::{Estimate, msr, pass_hat_k};
pub(crate) use repeats::{pass_hat, passes_by_task};
pub use scenario::{GoalCompletion, goal_completion};
