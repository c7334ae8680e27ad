//! Tests of the workshop that need to see its oracles.

mod oracles;
mod script;
mod worlds;
