//! Looks at a coordinator from outside: its probes, its metrics; and patience with what takes time.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use palaestra_runtime::{Clock as _, SystemClock};

/// Longer than anything takes on a slow machine: whoever waits for longer waits for nothing.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How often something is looked at that does not call.
const PAUSE: Duration = Duration::from_millis(25);

/// A moment after which nobody waits any more.
pub struct Deadline(Instant);

impl Deadline {
    pub fn after(patience: Duration) -> Self {
        Self(SystemClock.monotonic() + patience)
    }

    /// The time that is left; none when there is none.
    pub fn left(&self) -> Option<Duration> {
        let left = self.0.saturating_duration_since(SystemClock.monotonic());
        (!left.is_zero()).then_some(left)
    }
}

/// Looks again and again, until there is something to see.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Deadline::after(PATIENCE);
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(deadline.left().is_some(), "waited in vain until {what}");
        thread::sleep(PAUSE);
    }
}

/// An answer over plain HTTP: its status and its body; none when nobody answers.
pub fn get(address: SocketAddr, path: &str, token: Option<&str>) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let token = token.map_or_else(String::new, |token| format!("authorization: Bearer {token}\r\n"));
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{token}\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, body.to_owned()))
}

/// The sum of a metric over all its labels that hold `label`; none while nobody answers.
pub fn metric(address: SocketAddr, name: &str, label: &str) -> Option<f64> {
    let (200, text) = get(address, "/metrics", None)? else { return None };
    let samples = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        let (labels, value) = rest.rsplit_once(' ')?;
        let ours = (labels.is_empty() || labels.starts_with('{')) && labels.contains(label);
        ours.then(|| value.parse::<f64>().ok())?
    });
    Some(samples.sum())
}

/// An address of this machine that was free a moment ago.
pub fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
