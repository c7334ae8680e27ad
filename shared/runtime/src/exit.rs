//! Exit codes of the `palaestra` command: a documented contract for scripts.

/// How a process ended. The numbers are stable; new ones may be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// 0: everything that was asked for is done.
    Success = 0,
    /// 1: the run failed; standard error says where.
    Failure = 1,
    /// 2: the command line is wrong (the same number that the argument parser uses).
    Usage = 2,
    /// 3: a run file, a prompt, a price table or an input file is not valid.
    InvalidInput = 3,
    /// 4: the store is held by another process.
    StoreBusy = 4,
    /// 5: the budget is exhausted; nothing more was spent.
    BudgetExhausted = 5,
    /// 6: done, but some units stayed unresolved after their retries.
    Incomplete = 6,
    /// 130: interrupted by a signal; the same command continues.
    Interrupted = 130,
}

impl Exit {
    /// The number that the operating system sees.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
