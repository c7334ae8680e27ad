//! Paired comparisons: flips and McNemar's test, the A/A null control, an anytime-valid test, and what
//! the paper's acceptance rule lets through.

mod acceptance;
mod anytime;
mod flips;
mod mcnemar;
mod null_control;
mod pairs;

pub use acceptance::inert_acceptance;
pub use anytime::{AnytimeTest, Verdict, e_value};
pub use flips::Flips;
pub use mcnemar::{exact_two_sided, mcnemar_chi2};
pub use null_control::NullControl;
pub(crate) use pairs::cluster_mean;
pub use pairs::{Pairs, pair};
