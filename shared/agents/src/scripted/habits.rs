//! What tells one scripted agent from another: its blind spots, each visible in a trajectory.

/// Blind spots; an agent with none of them solves every task of the workshop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habits {
    /// Takes the first page of a listing for all of it: the following pages are never called.
    pub first_page_only: bool,
    /// Never asks the user: takes the first of several candidates without comparing details, a
    /// name for an address until that is refused, and one for an open number.
    pub presumes: bool,
    /// Writes before the reads that the write depends on, does the last-named of two steps first,
    /// and reads the last page of every listing twice.
    pub rushes: bool,
}

/// Does not page to the end.
pub const HASTY: Habits = Habits { first_page_only: true, presumes: false, rushes: false };

/// Guesses where others ask or compare.
pub const PRESUMPTUOUS: Habits = Habits { first_page_only: false, presumes: true, rushes: false };

/// Acts first and looks afterwards.
pub const RESTLESS: Habits = Habits { first_page_only: false, presumes: false, rushes: true };
