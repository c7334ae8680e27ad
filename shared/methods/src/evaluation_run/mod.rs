//! Held-out evaluation: frozen banks × targets × conditions × repeats on the tasks of one split, paired
//! by task and seed (ContraMem §4; `methods.md` §5).
//!
//! As a construction, in three stages: [`plan()`] where the run file is, [`episode()`] on any worker,
//! [`Evaluation`] on the coordinator. The run's own stream (`evaluation/<name>`) holds what became of
//! every episode; its report is a function of that stream.

mod artefact;
mod bank;
mod episode;
mod event;
mod guide;
mod identity;
mod plan;
mod record;
mod result;
mod submission;
mod survey;
mod tables;
mod unit_input;
mod view;

pub use artefact::{ARTEFACT_FORMAT, Artefact};
pub use bank::{BankOrigin, MeasuredBank, Provenance};
pub use episode::{EpisodeWork, episode};
pub use event::{EVALUATION_EVENT_FORMAT, EpisodeRecord, EvaluationEvent};
pub use guide::{GuideBook, TaskGuide, books};
pub use identity::identity;
pub use plan::{EvaluationPlan, Measured, plan};
pub use record::Evaluation;
pub use result::{EPISODE_RESULT_FORMAT, EpisodeResult, Shown};
pub use submission::{EVALUATION_SUBMISSION_FORMAT, EvaluationSubmission, PlannedBank, PlannedEpisodeTask};
pub use survey::{Survey, SurveyedTask, survey};
pub use tables::report;
pub use unit_input::{EPISODE_INPUT_FORMAT, EpisodeInput};
pub use view::EvaluationView;
