//! The services of `proto/`: each translates, asks the core or the store, and answers. They decide
//! nothing and keep nothing that matters.

mod artefacts;
mod blobs;
mod journal;
mod refusals;
mod runs;
mod services;
mod sessions;
mod shares;
mod status;
mod submit;
mod watch;
mod work;
mod worker;

pub(crate) use services::Services;
pub(crate) use work::take_back;
