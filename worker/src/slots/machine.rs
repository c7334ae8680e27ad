//! The machine's state, and the events that come from this side: units that end, time, draining, and
//! the connection's coming and going.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{FailureClass, Lease, WorkerId};

use super::action::Action;
use super::held::Held;
use crate::execute::Failed;
use crate::wire::Ended;

/// Slots by environment.
pub(crate) type Capacity = BTreeMap<EnvironmentName, u32>;

/// How long a registration may take.
const REGISTRATION: Duration = Duration::from_secs(10);

/// What a worker holds and what it has said.
#[derive(Debug)]
pub(crate) struct Slots {
    pub(super) worker: WorkerId,
    /// Tells this process from an earlier one of the same name.
    pub(super) incarnation: u64,
    pub(super) capacity: Capacity,
    pub(super) held: Held,
    pub(super) connection: Option<Connection>,
    pub(super) drain: Drain,
    /// The number of the last message; numbers are never used again.
    pub(super) number: u64,
    pub(super) actions: Vec<Action>,
}

/// What was said on the present connection.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// None until the coordinator has registered the worker.
    pub registration: Option<Registration>,
    /// When each registration or heartbeat without an answer was sent.
    pub pings: BTreeMap<u64, Instant>,
    /// Which report each message without a verdict carried.
    pub reported: BTreeMap<u64, Lease>,
}

/// What the coordinator knows of a registered worker.
#[derive(Debug)]
pub(super) struct Registration {
    /// How long a lease lasts without a heartbeat.
    pub lease: Duration,
    pub heartbeat_at: Instant,
    /// For how many units it believes there to be room.
    pub wish: u32,
}

/// Whether more units are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drain {
    No,
    /// None are wanted, and the coordinator is to be told.
    Wanted,
    /// It was told by the message of this number.
    Said(u64),
    Acknowledged,
}

impl Slots {
    pub(crate) fn new(worker: WorkerId, incarnation: u64, capacity: Capacity) -> Self {
        let (held, connection, drain) = (Held::default(), None, Drain::No);
        Self { worker, incarnation, capacity, held, connection, drain, number: 0, actions: Vec::new() }
    }

    /// A connection is being opened.
    pub(crate) fn connected(&mut self, now: Instant) {
        self.disconnected();
        self.connection = Some(Connection::default());
        self.register(now);
    }

    /// The connection is gone, and with it whatever was on its way.
    pub(crate) fn disconnected(&mut self) {
        self.connection = None;
        self.held.send_again();
        if self.drain != Drain::No {
            self.drain = Drain::Wanted;
        }
    }

    /// A unit's work ended. A unit whose lease is over has ended before.
    pub(crate) fn ended(&mut self, lease: &Lease, ended: Ended) {
        if !self.held.end(lease, ended) {
            tracing::debug!(%lease, "the work of a unit ended after its lease");
        }
    }

    /// No more units are wanted.
    pub(crate) fn drain(&mut self) {
        if self.drain == Drain::No {
            self.drain = Drain::Wanted;
        }
    }

    /// Gives back every unit that is not done.
    pub(crate) fn give_back(&mut self) {
        let message = "the worker stops before the unit is done";
        let running: Vec<Lease> = self.held.running.keys().cloned().collect();
        for lease in running {
            self.stop(&lease, FailureClass::Preemption, message);
        }
    }

    /// Whether a draining worker may go: nothing is held, and nothing can arrive any more.
    pub(crate) fn is_drained(&self) -> bool {
        self.held.is_empty() && (self.drain == Drain::Acknowledged || self.connection.is_none())
    }

    /// What the worker holds, for people.
    pub(crate) fn holds(&self) -> (usize, usize) {
        (self.held.running.len(), self.held.reports.len())
    }

    /// What is to be done now: call it after every event, and at [`wakes_at`](Self::wakes_at).
    pub(crate) fn look(&mut self, now: Instant) -> Vec<Action> {
        self.drop_what_has_run_out(now);
        if let Some(since) = self.silent_since()
            && now >= since
        {
            self.reconnect("the coordinator does not answer".to_owned());
        }
        self.speak(now);
        std::mem::take(&mut self.actions)
    }

    /// When something is to be done without an event.
    pub(crate) fn wakes_at(&self) -> Option<Instant> {
        let leases = self.held.running.values().map(|running| running.until.min(running.deadline));
        let registration = self.connection.as_ref().and_then(|connection| connection.registration.as_ref());
        let heartbeat = registration.map(|registration| registration.heartbeat_at);
        leases.chain(heartbeat).chain(self.silent_since()).min()
    }

    /// From when on a coordinator that has not answered is taken for dead.
    fn silent_since(&self) -> Option<Instant> {
        let connection = self.connection.as_ref()?;
        let patience = connection.registration.as_ref().map_or(REGISTRATION, |known| known.lease);
        connection.pings.values().min().and_then(|asked| asked.checked_add(patience))
    }

    /// Gives the connection up.
    pub(super) fn reconnect(&mut self, why: String) {
        self.disconnected();
        self.actions.push(Action::Reconnect(why));
    }

    fn drop_what_has_run_out(&mut self, now: Instant) {
        let over = self.held.running.iter().filter(|(_, unit)| unit.until.min(unit.deadline) <= now);
        let over: Vec<(Lease, bool)> =
            over.map(|(lease, unit)| (lease.clone(), unit.deadline <= now)).collect();
        for (lease, at_deadline) in over {
            if at_deadline {
                self.stop(&lease, FailureClass::Infrastructure, "the unit ran over its deadline");
            } else {
                self.forget(&lease, "nobody renewed it");
            }
        }
    }

    /// Stops a unit's work and reports it.
    fn stop(&mut self, lease: &Lease, class: FailureClass, message: &str) {
        tracing::warn!(%lease, message, "stops the work of a unit");
        let failed = Failed { class, message: message.to_owned() };
        if self.held.end(lease, Ended::Failed(failed)) {
            self.actions.push(Action::Drop(lease.clone()));
        }
    }

    /// Stops the work of a unit whose lease is over; there is nobody to report it to.
    pub(super) fn forget(&mut self, lease: &Lease, why: &str) {
        if self.held.running.remove(lease).is_some() {
            tracing::warn!(%lease, why, "the lease of a unit is over: drops the work");
            self.actions.push(Action::Drop(lease.clone()));
        }
    }
}
