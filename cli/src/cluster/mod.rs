//! A coordinator, a worker, and the client of a coordinator, as the command line puts them together.

pub mod connect;
pub mod fetch;
pub mod follow;
pub mod lead;
pub mod planned;
pub mod status;
pub mod submit;
