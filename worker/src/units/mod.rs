//! The units that a worker can do, one file per kind.

mod catalogue;
mod evaluation_episode;
mod prepared;
mod reference_task;

pub(crate) use catalogue::Units;
