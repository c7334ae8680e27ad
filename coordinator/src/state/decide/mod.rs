//! `decide`: what follows from a command. One file per kind of command.

mod dispatch;
mod money;
mod retry;
mod runs;
mod share;
mod tick;
mod work;
mod workers;

pub use dispatch::decide;
