//! `palaestra bank ...`: one file per question.

mod blame;
mod cards;
mod dispatch;
mod export;
mod log;
mod markdown;
mod search;
mod why_not;

pub use dispatch::bank;
