//! The standard streams of a container, which come from the engine as one stream of frames.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bollard::container::LogOutput;
use bollard::errors::Error as Cause;
use futures::{Stream, StreamExt as _};
use tokio::io::{AsyncWriteExt as _, DuplexStream};

/// How much of standard error is kept, in bytes.
const KEPT: usize = 4096;

/// What has been heard of a container.
#[derive(Debug, Default)]
pub(super) struct Heard {
    tail: Mutex<VecDeque<u8>>,
    over: AtomicBool,
}

impl Heard {
    /// The end of its standard error.
    pub(super) fn last_words(&self) -> String {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(tail.make_contiguous()).trim().to_owned()
    }

    /// Whether its streams have ended, which is when it has ended.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    fn keep(&self, bytes: &[u8]) {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(bytes);
        let excess = tail.len().saturating_sub(KEPT);
        tail.drain(..excess);
    }
}

/// Passes standard output on and keeps the end of standard error, until the container ends or
/// nobody reads any more.
pub(super) async fn listen(
    mut frames: Pin<Box<dyn Stream<Item = Result<LogOutput, Cause>> + Send>>,
    mut output: DuplexStream,
    heard: Arc<Heard>,
) {
    while let Some(Ok(frame)) = frames.next().await {
        match frame {
            LogOutput::StdErr { message } => heard.keep(&message),
            frame => {
                if output.write_all(&frame.into_bytes()).await.is_err() {
                    break;
                }
            }
        }
    }
    heard.over.store(true, Ordering::Release);
}
