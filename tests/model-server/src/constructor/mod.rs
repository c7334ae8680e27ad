//! A construction model that is a program: a small valid card, at most one lesson, always ADD.

mod answers;

pub(crate) use answers::{MODEL, answer};
