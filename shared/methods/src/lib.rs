//! One folder per paper, one file per paper step, named as in the paper; and what measures them all.

pub mod contramem;
pub mod evaluation_run;
mod submitted;

pub use submitted::Submitted;
