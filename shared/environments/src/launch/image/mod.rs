//! Images of environments: a base image given by name, the locked packages fetched outside, our
//! adapter. The build needs no network and no registry.

mod base;
mod build;
mod context;
#[cfg(test)]
mod tests;
mod wheels;

pub use build::{BuiltImage, build};
pub(super) use context::ADAPTERS;
pub use context::{IMAGE_PROGRAM, image_name};
