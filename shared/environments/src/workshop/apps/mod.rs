//! The six apps: each file holds one app's state and its tools.

pub(crate) mod calendar;
pub(crate) mod contacts;
pub(crate) mod files;
pub(crate) mod mail;
pub(crate) mod messages;
pub(crate) mod shop;
