//! What a worker holds, and what it says next: a state machine without a clock and without I/O.
//!
//! Time comes in as a value, and what is to be done goes out as one ([`Action`]). The machine never
//! waits and never forgets a result that the coordinator has not acknowledged. Everything is keyed by
//! unit *and* epoch: two slots may hold one unit, where the first has not heard yet that it lost it.

mod action;
mod hearing;
mod held;
mod machine;
mod speaking;

pub(crate) use action::Action;
pub(crate) use machine::Slots;

#[cfg(test)]
mod tests;
