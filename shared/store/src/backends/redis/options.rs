//! What whoever opens a Redis store may choose.

use std::time::Duration;

/// Which store of a server is opened, by whom, and how patiently.
#[derive(Debug, Clone)]
pub struct RedisOptions {
    /// Which of the server's stores: 1 to 128 ASCII letters, digits, `.`, `_`, `/` or `-`.
    pub namespace: String,
    /// Who opens it, as others shall read it when they are refused, for example a pod's name.
    pub owner: String,
    /// How long the lease of a writer lasts that no longer renews it, and thus how long a standby
    /// waits for a dead one. At least 100 ms.
    pub lease_ttl: Duration,
    /// How long a call waits for a server that is away before it fails.
    pub patience: Duration,
}

impl RedisOptions {
    /// Both times are 30 s: a restart of the server is waited for, and a renewal may fail twice
    /// before the lease runs out.
    #[must_use]
    pub fn new(namespace: impl Into<String>, owner: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            owner: owner.into(),
            lease_ttl: Duration::from_secs(30),
            patience: Duration::from_secs(30),
        }
    }
}
