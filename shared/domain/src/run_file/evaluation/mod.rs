//! `kind: EvaluationRun`: what a memory is worth on tasks that it was not built from.

pub(super) mod contradictions;
pub(super) mod names;
pub mod spec;

pub use spec::{
    BankRef, ConditionSpec, EvaluationKind, EvaluationRun, EvaluationSpec, GuidanceSpec, SplitName,
    TargetSpec,
};
