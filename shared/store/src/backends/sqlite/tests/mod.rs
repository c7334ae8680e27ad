//! Tests of the SQLite backend: the conformance suite, and what only a file can suffer.

mod conformance;
mod disk_full;
mod group_commit;
mod opening;
mod processes;
mod support;
