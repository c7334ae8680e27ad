//! What the machine wants to be done.

use palaestra_domain::Lease;
use palaestra_proto::v1::WorkerMessage;

use crate::wire::Grant;

/// Something to be done outside of the machine, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Say this on the connection.
    Send(WorkerMessage),
    /// Start the work.
    Start(Box<Grant>),
    /// Stop the work: its lease is over, or the worker drains.
    Drop(Lease),
    /// Give the connection up and open another one.
    Reconnect(String),
}
