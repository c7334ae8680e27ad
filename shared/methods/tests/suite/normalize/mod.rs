//! Normalization (§3.1, appendix B.3): what is replaced, what stays, and what a run becomes.

mod observations;
mod property;
mod runs;
mod values;
