//! What is counted and measured, for Prometheus and for statuses. Labels come from closed sets: never a
//! run, a task, a worker, a card or a tenant.

mod counts;
mod definitions;
mod handle;
mod keeper;
mod labels;
mod meter;
mod runs;
mod scrape;
mod shelf;

pub(crate) use counts::UnitCounts;
pub use handle::Metrics;
pub(crate) use keeper::keep;
pub(crate) use meter::Meter;
pub(crate) use runs::RunCounts;
