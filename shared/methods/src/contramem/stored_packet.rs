//! A packet as it rests in the run's own state: with the values that must not reach a bank.
//!
//! This is the run's private half. Banks, exports and model calls only ever see
//! [`palaestra_domain::packet::PacketView`].

use palaestra_domain::ContrastPacket;
use palaestra_domain::placeholder::Placeholder;
use palaestra_domain::{Ability, Trajectory};
use serde::{Deserialize, Serialize};

use super::contrast_packet;
use super::function_observation::Observations;
use super::normalize;

/// The version of the stored form.
pub const STORED_PACKET_FORMAT: u32 = 1;

/// A packet and the values behind its placeholders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPacket {
    /// [`STORED_PACKET_FORMAT`] of the writer.
    pub format: u32,
    /// Identity and view.
    pub packet: ContrastPacket,
    /// Every task-specific value with its type.
    pub values: Vec<(String, Placeholder)>,
    /// The verifier's remarks as they came.
    pub judge_prose: Vec<String>,
}

/// Lines 3 to 5 of algorithm 1 for one task: normalize its attempts, observe its functions, build
/// its packet. None without attempts.
#[must_use]
pub fn contrast(attempts: &[Trajectory], ability: &Ability) -> Option<(StoredPacket, Observations)> {
    let task = normalize::normalize(attempts)?;
    let observations = Observations::of_task(&task);
    let values = task.values.values().map(|(value, kind)| (value.to_owned(), kind)).collect();
    let stored = StoredPacket {
        format: STORED_PACKET_FORMAT,
        packet: contrast_packet::build(task, ability),
        values,
        judge_prose: attempts.iter().flat_map(|attempt| attempt.feedback.iter().cloned()).collect(),
    };
    Some((stored, observations))
}
