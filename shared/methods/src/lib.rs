//! One folder per paper, one file per paper step.
