//! `docs/paper-map.md`: from every symbol and step of a paper that is built to the files that hold it.
//!
//! The map is made of tables. A row's first cell names symbols in backticks, or lines of an
//! algorithm (`Algorithm 1, lines 3-5`, without backticks); its other cells hold at least one path in backticks.

mod check;
mod rows;
mod wanted;

pub use check::{Wanted, check};
pub use rows::{Row, rows};
pub use wanted::wanted;
