//! Palaestra's own trajectories: JSON lines, versioned, read back as they were written.
//!
//! The first line is the header `{"format":"palaestra-trajectories","version":1}`. Every other
//! line is one [`Trajectory`] as JSON. A file of a newer version is refused as a whole. In a run
//! file and on the command line the format is called `palaestra`.

use std::io::Write;

use palaestra_domain::Trajectory;
use serde::{Deserialize, Serialize};

use super::decode::{self, Fault};
use super::file::Context;
use crate::error::Error;

/// What the header's `format` says.
pub const FORMAT_NAME: &str = "palaestra-trajectories";

/// The version that is written, and the newest one that is read.
pub const FORMAT_VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// Whether a file begins with our header, of whatever version.
pub(super) fn has_header(head: &[u8]) -> bool {
    header(head).is_some()
}

/// Refuses what this version cannot read.
pub(super) fn check_header(head: &[u8]) -> Result<(), Fault> {
    match header(head) {
        Some(Header { version: 1..=FORMAT_VERSION, .. }) => Ok(()),
        Some(Header { version, .. }) => Err(Fault::new(
            "version",
            format!(
                "version {version} of {FORMAT_NAME}; this program reads up to {FORMAT_VERSION}: use a newer one"
            ),
        )),
        None => Err(Fault::new("format", format!("the first line is not the header of {FORMAT_NAME}"))),
    }
}

/// Reads one line behind the header.
pub(super) fn read(text: &str, context: &Context<'_>) -> Result<Trajectory, Fault> {
    let mut trajectory: Trajectory = decode::parse(text)?;
    if context.input.source.is_some() {
        trajectory.source = context.source(None)?;
    }
    Ok(trajectory)
}

fn header(head: &[u8]) -> Option<Header> {
    // A header is short: a long first line is not read in search of one.
    let line = head.split(|byte| *byte == b'\n').next().filter(|line| line.len() <= 256)?;
    serde_json::from_slice::<Header>(line).ok().filter(|header| header.format == FORMAT_NAME)
}

/// Writes trajectories in our own format.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
}

impl<W: Write> Writer<W> {
    /// Begins a file with its header.
    ///
    /// # Errors
    /// [`Error::Write`] when the header cannot be written.
    pub fn new(to: W) -> Result<Self, Error> {
        let mut writer = Self { to };
        writer.line(&Header { format: FORMAT_NAME.to_owned(), version: FORMAT_VERSION })?;
        Ok(writer)
    }

    /// Writes one trajectory.
    ///
    /// # Errors
    /// [`Error::Write`] when it cannot be written.
    pub fn write(&mut self, trajectory: &Trajectory) -> Result<(), Error> {
        self.line(trajectory)
    }

    /// Flushes and gives back what was written to.
    ///
    /// # Errors
    /// [`Error::Write`] when what is buffered cannot be written.
    pub fn finish(mut self) -> Result<W, Error> {
        self.to.flush().map_err(|source| Error::Write { source })?;
        Ok(self.to)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut self.to, value).map_err(|error| Error::Write { source: error.into() })?;
        self.to.write_all(b"\n").map_err(|source| Error::Write { source })
    }
}
