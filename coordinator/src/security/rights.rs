//! What a caller may do.

use std::fmt;

/// One right; each has a token of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Do units: `WorkerService` and `BlobService`.
    Worker,
    /// Submit runs and watch them: `RunService` and `BlobService`.
    Client,
    /// Read `/metrics`.
    Metrics,
}

impl Right {
    /// All rights.
    pub const ALL: [Self; 3] = [Self::Worker, Self::Client, Self::Metrics];

    fn bit(self) -> u8 {
        match self {
            Self::Worker => 1,
            Self::Client => 2,
            Self::Metrics => 4,
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worker => "worker",
            Self::Client => "client",
            Self::Metrics => "metrics",
        })
    }
}

/// A set of rights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rights(u8);

impl Rights {
    /// No right.
    pub const NONE: Self = Self(0);

    /// Every right.
    #[must_use]
    pub fn all() -> Self {
        Right::ALL.into_iter().fold(Self::NONE, Self::with)
    }

    /// These rights and one more.
    #[must_use]
    pub fn with(self, right: Right) -> Self {
        Self(self.0 | right.bit())
    }

    /// Whether one of `others` is among them.
    #[must_use]
    pub fn any_of(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

impl From<Right> for Rights {
    fn from(right: Right) -> Self {
        Self::NONE.with(right)
    }
}
