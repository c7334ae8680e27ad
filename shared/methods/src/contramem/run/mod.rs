//! A whole construction run in three stages, each where its means are: [`plan()`] where the run file is,
//! [`reference_task()`] on any worker, [`Curation`] on the coordinator.
//!
//! Between them travel small values and addresses of blobs. Every step writes its events first and can
//! be repeated: after a crash what is there is read, and the rest is done. The run's own stream
//! (`run/<name>`) holds what happened to attempts and packets; the bank's history has streams of its own
//! (see [`super::construct`]).

pub(crate) mod attempt;
mod attempt_line;
pub(crate) mod blob;
mod curate;
mod event;
mod evidence;
mod identity;
mod import;
pub(crate) mod live;
mod log;
mod models;
mod plan;
pub(crate) mod reference_task;
mod result;
mod stage;
mod submission;
mod summary;
mod unit_input;
mod view;
mod world;

pub use attempt_line::{AttemptLine, MOST_ATTEMPTS};
pub use curate::{Curation, Ended};
pub use event::{HeldOut, RUN_EVENT_FORMAT, Refused, RunEvent};
pub use identity::{Identity, IdentityInputs, data_version};
pub use import::input_of;
pub use live::agent_prompts;
pub use log::{RunLog, run_stream};
pub use models::construction_model;
pub use plan::{Plan, PlanRequest, plan};
pub use reference_task::{ReferenceWork, UnitError, reference_task};
pub use result::{REFERENCE_RESULT_FORMAT, ReferenceResult};
pub use stage::{OnStage, Stage};
pub use submission::{PlannedTask, SUBMISSION_FORMAT, Submission};
pub use summary::{SourceTally, Summary};
pub use unit_input::{REFERENCE_TASK_FORMAT, ReferenceTask};
pub use view::RunView;
