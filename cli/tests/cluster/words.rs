//! What a process says on standard error, as it says it: tests wait for its words.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::probes::{Deadline, PATIENCE};

/// The lines so far. Clones are the same ones.
#[derive(Clone, Default)]
pub struct Words(Arc<(Mutex<Said>, Condvar)>);

#[derive(Default)]
struct Said {
    lines: Vec<String>,
    over: bool,
}

impl Words {
    /// Listens to a process from now on.
    pub fn listen(&self, stderr: impl Read + Send + 'static) -> JoinHandle<()> {
        self.change(|said| said.over = false);
        let words = self.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                words.change(|said| said.lines.push(line));
            }
            words.change(|said| said.over = true);
        })
    }

    /// Waits for a line with these words.
    #[track_caller]
    pub fn wait_for(&self, words: &str) {
        self.wait_for_any(&[words]);
    }

    /// Waits for a line with some of these words.
    #[track_caller]
    pub fn wait_for_any(&self, words: &[&str]) {
        let found = self.wait(PATIENCE, |said| {
            let found = said.lines.iter().any(|line| words.iter().any(|words| line.contains(words)));
            (found || said.over).then_some(found)
        });
        assert_eq!(found, Some(true), "nobody said {words:?}:\n{}", self.all());
    }

    /// Waits until the process says nothing more because it has ended; false when it takes longer.
    pub fn wait_for_end(&self, patience: Duration) -> bool {
        self.wait(patience, |said| said.over.then_some(())).is_some()
    }

    /// Everything.
    pub fn all(&self) -> String {
        self.look(|said| said.lines.join("\n"))
    }

    fn wait<T>(&self, patience: Duration, look: impl Fn(&Said) -> Option<T>) -> Option<T> {
        let deadline = Deadline::after(patience);
        let (said, news) = &*self.0;
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = look(&said) {
                return Some(found);
            }
            let left = deadline.left()?;
            said = news.wait_timeout(said, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn look<T>(&self, look: impl FnOnce(&Said) -> T) -> T {
        look(&self.0.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Said)) {
        let (said, news) = &*self.0;
        change(&mut said.lock().unwrap_or_else(PoisonError::into_inner));
        news.notify_all();
    }
}
