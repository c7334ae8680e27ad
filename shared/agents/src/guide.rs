//! How a memory reaches an agent (ContraMem §3.4): at task start, and just before a call. Whoever
//! attempts a task under no memory has no guide.

use std::fmt::Debug;

use palaestra_domain::FunctionName;
use palaestra_domain::tool::Effect;

/// The memory's side of one attempt. What it has said already is its own bookkeeping, so every attempt
/// gets a new one.
pub trait Guide: Send + Sync + Debug {
    /// What the agent reads before the task; none when nothing fits. `opening` is the first message of
    /// the user, by which tasks are known whose instruction comes turn by turn.
    fn at_start(&self, opening: &str) -> Option<String>;

    /// What the agent reads in place of this call's result; the call is not made then. None when the
    /// call is to be made.
    fn before_call(&self, function: &FunctionName, effect: Effect) -> Option<String>;
}

/// The same words at every start, and none before calls.
impl Guide for &'static str {
    fn at_start(&self, _: &str) -> Option<String> {
        Some((*self).to_owned())
    }

    fn before_call(&self, _: &FunctionName, _: Effect) -> Option<String> {
        None
    }
}
