//! Intervals at 95 %: Wilson for a rate, the paired percentile bootstrap for a difference.

mod bootstrap;
mod interval;
mod splitmix;
mod wilson;

pub use bootstrap::{Bootstrap, Cluster};
pub use interval::Interval;
pub use wilson::wilson;
