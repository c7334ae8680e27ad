//! The simulated world.

mod curating;
mod injecting;
mod leading;
mod working;
#[expect(clippy::module_inception, reason = "the folder is named after its main type")]
mod world;

pub use world::World;
