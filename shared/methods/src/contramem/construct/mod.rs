//! Construction of a bank from packets (algorithm 1, lines 7 to 23), resumable at every commit.
//!
//! The Function Card bank comes first, since the Curator reads it; then every ability's bank, each
//! with one writer, different abilities side by side. The commit unit of a skill bank is one
//! packet: its decisions are appended together, so a crash repeats at most one packet, and the call
//! journal answers what that packet had already asked.

mod bank_log;
mod context;
mod freeze;
mod function_bank;
mod probes;
mod skill_bank;

pub use bank_log::{BankLog, bank_streams, history};
pub use context::{Construction, PacketEntry, Progress, load_packet};
pub use freeze::freeze;
pub use function_bank::build_function_bank;
pub use probes::HeldOutTask;
pub use skill_bank::build_skill_bank;
