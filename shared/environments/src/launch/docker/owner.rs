//! Whose a container is. Its label names a process so that any later process on the same machine
//! can tell whether that one is still alive: a number alone could be another process by now.

use std::fs;

/// A process, told apart from every other one: the machine's boot, the process namespace, the
/// number in it, and when it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    boot: String,
    namespace: String,
    process: u32,
    started: String,
}

/// What can be said about an owner from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// It runs.
    Alive,
    /// It has ended.
    Dead,
    /// It belongs to another machine, another boot or another container: nothing can be said.
    Elsewhere,
}

impl Owner {
    /// This process.
    pub(super) fn this() -> Self {
        let process = std::process::id();
        Self { boot: boot(), namespace: namespace(), process, started: started(process).unwrap_or_default() }
    }

    /// The owner that a label names.
    pub(super) fn of_label(label: &str) -> Option<Self> {
        let mut parts = label.split('/');
        let (boot, namespace) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let process = parts.next()?.parse().ok()?;
        let started = parts.next()?.to_owned();
        parts.next().is_none().then_some(Self { boot, namespace, process, started })
    }

    /// The label that names it.
    pub(super) fn label(&self) -> String {
        format!("{}/{}/{}/{}", self.boot, self.namespace, self.process, self.started)
    }

    /// Whether it lives.
    pub(super) fn life(&self) -> Life {
        let known = !self.boot.is_empty() && !self.namespace.is_empty();
        if !known || self.boot != boot() || self.namespace != namespace() {
            return Life::Elsewhere;
        }
        match started(self.process) {
            Some(started) if started == self.started => Life::Alive,
            _ => Life::Dead,
        }
    }
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

fn namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().chars().filter(char::is_ascii_digit).collect()
}

/// When a process started, in ticks since the boot: the twenty-second field of its status line.
fn started(process: u32) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is the program's name, in parentheses and with any character in it.
    let (_, rest) = line.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19).map(str::to_owned)
}
