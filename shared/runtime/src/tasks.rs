//! Background tasks. The only place that spawns one.

use std::future::Future;

use tokio::task::JoinHandle;
use tracing::Instrument as _;

/// Runs a future in the background, under a log span that carries the task's name.
///
/// Dropping the handle does not stop the task: give it a
/// [`CancellationToken`](crate::CancellationToken) where it must end.
pub fn spawn<F>(name: &'static str, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let span = tracing::debug_span!("task", task.name = name);
    #[expect(clippy::disallowed_methods, reason = "this is the one place that spawns a task")]
    tokio::spawn(future.instrument(span))
}

/// Runs work that blocks a thread (hashing, parsing, disk) off the async threads.
pub fn spawn_blocking<F, T>(name: &'static str, work: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let span = tracing::debug_span!("task", task.name = name);
    tokio::task::spawn_blocking(move || span.in_scope(work))
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn both_kinds_hand_back_their_value() {
        assert_eq!(super::spawn("answer", async { 42 }).await.unwrap(), 42);
        assert_eq!(super::spawn_blocking("sum", || 1 + 1).await.unwrap(), 2);
    }
}
