//! What a memory is worth on held-out tasks: measures, tests, intervals, tables and reports over
//! graded episodes (ContraMem's evaluation section and appendices A.2 to A.7; DAEDALUS section 4.1 and
//! appendix C).
//!
//! Everything is a function of its arguments: no clock, no I/O, no model. The bootstrap draws from a
//! generator that is seeded by its caller, so the same episodes give the same report, byte for byte.

pub mod agreement;
pub mod efficiency;
pub mod episode;
pub mod episodes;
pub mod error;
pub mod intervals;
pub mod measures;
mod number;
pub mod paired;
pub mod report;
pub mod success;
pub mod tables;

pub use agreement::{Confusion, KendallTau, kendall_tau_b};
pub use efficiency::{Efficiency, RoleTotal};
pub use episode::{Episode, RoleSpend};
pub use episodes::Episodes;
pub use error::Error;
pub use intervals::{Bootstrap, Cluster, Interval, wilson};
pub use measures::{Arm, Comparison, Measures};
pub use paired::{AnytimeTest, Flips, NullControl, Verdict, exact_two_sided, inert_acceptance, mcnemar_chi2};
pub use report::{Report, ReportOptions};
pub use success::{Estimate, GoalCompletion, MacroMean, Rate};
