//! The fixed layers of every call: journal, budget, limit, retry, trace. The client puts them
//! together.

pub(crate) mod budget;
pub(crate) mod journal;
pub(crate) mod limit;
pub(crate) mod retry;
mod trace;

pub use budget::{BudgetLimits, Spend};
