//! The edge of a process: clock, retry, shutdown, tasks, telemetry, exit codes.
//!
//! The only crate that reads a clock, draws a random number or spawns a task. It knows nothing of
//! either paper.

pub mod clock;
pub mod error;
pub mod exit;
pub mod process;
pub mod retry;
pub mod shutdown;
pub mod tasks;
pub mod telemetry;

pub use clock::{Clock, ManualClock, SystemClock};
pub use error::Error;
pub use exit::Exit;
pub use retry::{ErrorClass, GaveUp, Retries, RetryPolicy};
pub use shutdown::CancellationToken;
