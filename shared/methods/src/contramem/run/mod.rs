//! A whole construction run over one durable store: attempts, packets, banks, freeze.
//!
//! Every step writes its events first and can be repeated: the same command after a crash reads
//! what is there and goes on. The run's own stream (`run/<name>`) holds what happened to attempts
//! and packets; the bank's history has streams of its own (see [`super::construct`]).

mod attempts;
mod event;
mod identity;
mod log;
mod packets;
mod pipeline;
mod scripted;
mod summary;
mod view;

pub use attempts::input_of;
pub use event::{RUN_EVENT_FORMAT, RunEvent};
pub use identity::{Identity, IdentityInputs};
pub use log::{RunLog, run_stream};
pub use pipeline::{Pipeline, Stage, run};
pub use summary::{SourceTally, Summary};
pub use view::RunView;
