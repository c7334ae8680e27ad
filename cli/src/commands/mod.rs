//! One file per command, but for the short ones that ask a coordinator for something.

mod bank;
mod cluster;
mod coordinator;
mod dispatch;
mod doctor;
mod env;
mod import;
mod packet;
mod plan;
mod plan_evaluation;
mod report;
mod run;
mod worker;

pub use dispatch::dispatch;
