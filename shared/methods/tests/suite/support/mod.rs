//! What the tests share.

pub(crate) mod attempts;
pub(crate) mod building;
pub(crate) mod cases;
pub(crate) mod models;
pub(crate) mod whole;
