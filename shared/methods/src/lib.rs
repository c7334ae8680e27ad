//! One folder per paper, one file per paper step, named as in the paper.

pub mod contramem;
