//! τ²-bench's retail domain played by programs: agents that know the reference, a customer and a
//! judge. The tasks are read from an installed benchmark; none of them is here.

mod agent;
mod cases;
mod customer;
mod data;
mod habit;
mod judge;
mod notes;
mod plan;
mod shop;
mod troupe;

#[cfg(test)]
mod tests;

pub(crate) use troupe::{MODELS, Troupe};
