//! tau2-bench's retail and airline domains, in processes of their own behind a thin adapter.
//!
//! The benchmark's code holds state, tools and evaluator; agent and user loop are ours, at its own
//! boundaries. Nothing here calls a model: the user simulator and the judge are asked back.

mod domain;
mod order;
mod recipe;

pub use domain::Domain;
pub use order::depends_on_argument_order;
pub use recipe::RECIPE;
