//! Tests of the function-calling agent, most of them in the workshop with scripted answers.

mod account;
mod calls;
mod endings;
mod guided;
mod limits;
mod odd;
mod opening;
mod support;
mod turns;
