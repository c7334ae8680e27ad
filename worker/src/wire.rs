//! The messages of the work stream in the lease loop's words and back.

use std::time::Duration;

use palaestra_domain::{Digest, Lease, Unit};
use palaestra_proto::convert::{self, Malformed, required};
use palaestra_proto::v1::{self, coordinator_message, payload, worker_message};
use palaestra_proto::{Problem, Reason};

use crate::execute::Failed;

/// The longest message that goes with a failure, in bytes.
const MOST_MESSAGE: usize = 4_096;

/// A unit that this worker shall do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grant {
    pub lease: Lease,
    pub unit: Unit,
    pub submission: Digest,
    pub lasts: Duration,
    pub deadline: Duration,
}

/// What the coordinator says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    /// The worker is registered; a lease lasts so long without a heartbeat.
    Registered(Duration),
    Granted(Vec<Grant>),
    /// The heartbeat of this number was heard.
    Alive {
        number: u64,
        current: Vec<(Lease, Duration)>,
        over: Vec<Lease>,
    },
    /// The message of this number took effect, or there is a problem.
    Verdict {
        number: u64,
        problem: Option<Problem>,
    },
    Revoked(Lease),
}

/// How a unit's work ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ended {
    Done { result: v1::Payload, tally: v1::Tally },
    Failed(Failed),
}

/// Understands a message.
pub(crate) fn heard(message: v1::CoordinatorMessage) -> Result<Heard, Malformed> {
    use coordinator_message::Body;
    Ok(match required("body", message.body)? {
        Body::Registered(registered) => Heard::Registered(Duration::from_millis(registered.lease_ms)),
        Body::Granted(granted) => {
            Heard::Granted(granted.units.into_iter().map(grant).collect::<Result<_, _>>()?)
        }
        Body::Alive(v1::Alive { number, current, over }) => Heard::Alive {
            number,
            current: current.into_iter().map(renewed).collect::<Result<_, _>>()?,
            over: over.into_iter().map(Lease::try_from).collect::<Result<_, _>>()?,
        },
        Body::Verdict(verdict) => {
            Heard::Verdict { number: verdict.number, problem: verdict.problem.map(problem) }
        }
        Body::Revoked(revoked) => Heard::Revoked(lease(revoked.lease)?),
    })
}

fn lease(lease: Option<v1::Lease>) -> Result<Lease, Malformed> {
    Lease::try_from(required("lease", lease)?)
}

fn grant(grant: v1::Grant) -> Result<Grant, Malformed> {
    Ok(Grant {
        lease: lease(grant.lease)?,
        unit: Unit::try_from(required("grant.unit", grant.unit)?)?,
        submission: convert::digest("grant.submission", &grant.submission)?,
        lasts: Duration::from_millis(grant.lasts_ms),
        deadline: Duration::from_millis(grant.deadline_ms),
    })
}

fn renewed(renewed: v1::Renewed) -> Result<(Lease, Duration), Malformed> {
    Ok((lease(renewed.lease)?, Duration::from_millis(renewed.lasts_ms)))
}

/// A reason of a newer coordinator is a fault to us: it is neither obeyed nor asked again.
fn problem(problem: v1::Problem) -> Problem {
    Problem::new(Reason::parse(&problem.reason).unwrap_or(Reason::Internal), problem.message)
}

/// How a unit's work ended, as a message.
pub(crate) fn report(lease: &Lease, ended: &Ended) -> worker_message::Body {
    let lease = Some(lease.into());
    match ended {
        Ended::Done { result, tally } => worker_message::Body::Done(v1::UnitDone {
            lease,
            result: Some(result.clone()),
            tally: Some(*tally),
        }),
        Ended::Failed(Failed { class, message }) => {
            let end = message.floor_char_boundary(MOST_MESSAGE);
            let message = message.get(..end).unwrap_or_default().to_owned();
            let class = convert::name_of(class);
            worker_message::Body::Failed(v1::UnitFailed { lease, class, message })
        }
    }
}

/// Bytes that are in the message.
pub(crate) fn inline(bytes: Vec<u8>) -> v1::Payload {
    v1::Payload { at: Some(payload::At::Inline(bytes)) }
}

/// Bytes that rest elsewhere.
pub(crate) fn at(digest: Digest) -> v1::Payload {
    v1::Payload { at: Some(payload::At::Digest(digest.as_bytes().to_vec())) }
}
