//! One file per command.

mod bank;
mod dispatch;
mod doctor;
mod import;
mod packet;
mod plan;
mod run;

pub use dispatch::dispatch;
