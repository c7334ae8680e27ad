//! Deterministic retrieval from a bank (Equation 1, algorithm 2 of appendix A.8). No model.

pub mod apps;
pub mod bm25;
pub mod function;
pub mod params;
mod shelf;
pub mod skill;
pub mod tokenise;

#[cfg(test)]
mod tests;

pub use apps::apps_named;
pub use bm25::Scratch;
pub use function::{FunctionHit, FunctionIndex, lookup};
pub use params::RetrievalParams;
pub use skill::{SkillHit, SkillIndex, SkillQuery, SkillShelf};
