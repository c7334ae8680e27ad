//! Tests of the three levels.

mod cards;
mod idioms;
mod previews;
mod private;
