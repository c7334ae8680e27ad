//! Retry: which errors are tried again, how often, and after how long.

mod class;
mod policy;

pub use class::ErrorClass;
pub use policy::{GaveUp, Retries, RetryPolicy};

#[cfg(test)]
mod tests;
