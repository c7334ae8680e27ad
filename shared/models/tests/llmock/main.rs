//! Our client before an independent judge: `llmock` plays a provider that fails on command, sees every
//! attempt with its timing, and says what the client did wrong. Skipped where it is not installed;
//! `PALAESTRA_TEST_INSTALL=1` installs it from the package index, locked by hashes.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod client;
#[cfg(test)]
mod gateway;
#[cfg(test)]
mod install;
#[cfg(test)]
mod judge;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod statuses;
