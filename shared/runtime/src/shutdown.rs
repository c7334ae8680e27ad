//! Shutdown: the first signal asks everything to stop, the second one exits.

use tokio::signal::unix::{Signal, SignalKind, signal};
pub use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::exit::Exit;
use crate::tasks;

/// Listens for SIGINT and SIGTERM. The first one cancels the returned token, on which every loop
/// of the program must end; the second one exits at once with [`Exit::Interrupted`].
///
/// # Errors
/// [`Error::Signal`] when the operating system refuses to deliver a signal.
pub fn install() -> Result<CancellationToken, Error> {
    let interrupt = listen("SIGINT", SignalKind::interrupt())?;
    let terminate = listen("SIGTERM", SignalKind::terminate())?;
    let token = CancellationToken::new();
    tasks::spawn("shutdown", watch(interrupt, terminate, token.clone()));
    Ok(token)
}

fn listen(name: &'static str, kind: SignalKind) -> Result<Signal, Error> {
    signal(kind).map_err(|source| Error::Signal { signal: name, source })
}

async fn watch(mut interrupt: Signal, mut terminate: Signal, token: CancellationToken) {
    for first in [true, false] {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if first {
            tracing::warn!("stopping after the work in flight; a second signal exits at once");
            token.cancel();
        }
    }
    std::process::exit(i32::from(Exit::Interrupted.code()));
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_first_signal_cancels_and_does_not_kill() {
        let token = super::install().unwrap();
        assert!(!token.is_cancelled());
        let me = std::process::id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &me]).status().unwrap().success());
        token.cancelled().await;
    }
}
