//! Cross-trajectory differences (§3.1): what separates the passing from the failing attempts at
//! one task, found by rule and counted on both sides.
//!
//! Each detector states one observable behaviour of the passing side and how many runs of each
//! side show it. Whether that behaviour is the cause is for the Reflector to say; a behaviour that
//! failing runs show as often as passing ones is no difference and is not listed.

mod asking;
mod failures;
mod find;
mod paging;
mod reads;
mod side;
mod writes;

pub use find::{find, meaningfully_longer, separation};
