//! House rules, checked by `tests/house.rs` on the whole repository.
//!
//! Each rule is a function from facts about the repository to violations, so that its own unit
//! tests show it failing on a small fixture. Nothing here is used by a shipped crate.

pub mod arrows;
pub mod effects;
pub mod links;
pub mod machine_paths;
pub mod manifests;
pub mod methods_apart;
pub mod paper_map;
pub mod repository;
pub mod shape;
pub mod source;
pub mod violation;

pub use repository::Repository;
pub use violation::{Violation, verdict};
