//! Recognisable private values, planted wherever a recording can hold one, reach no card and no prompt.

mod builds;
mod planted;
mod recording;
mod service;
