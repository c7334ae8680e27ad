//! What a worker says, and when.

use std::time::Instant;

use palaestra_proto::convert::name_of;
use palaestra_proto::v1::{self, WorkerMessage, worker_message::Body};

use super::action::Action;
use super::machine::{Drain, Slots};
use crate::wire;

impl Slots {
    /// Says who the worker is.
    pub(super) fn register(&mut self, now: Instant) {
        let capacity = self.capacity.iter().map(|(environment, slots)| (name_of(environment), *slots));
        let (worker, capacity) = (self.worker.to_string(), capacity.collect());
        let register = v1::Register { worker, capacity, incarnation: self.incarnation };
        let number = self.send(Body::Register(register));
        if let Some(connection) = &mut self.connection {
            connection.pings.insert(number, now);
        }
    }

    /// Says whatever is due, once the worker is registered.
    pub(super) fn speak(&mut self, now: Instant) {
        let Some(known) = self.connection.as_ref().and_then(|connection| connection.registration.as_ref())
        else {
            return;
        };
        let heartbeat = known.heartbeat_at <= now;
        let (lease, wish) = (known.lease, known.wish);
        if heartbeat {
            let held = self.held.leases().map(v1::Lease::from).collect();
            let number = self.send(Body::Heartbeat(v1::Heartbeat { held }));
            if let Some(connection) = &mut self.connection {
                connection.pings.insert(number, now);
                if let Some(known) = &mut connection.registration {
                    known.heartbeat_at = now.checked_add(lease / 3).unwrap_or(now);
                }
            }
        }
        self.report();
        match self.drain {
            Drain::No => self.want(wish),
            Drain::Wanted => self.drain = Drain::Said(self.send(Body::Drain(v1::Drain {}))),
            Drain::Said(_) | Drain::Acknowledged => {}
        }
    }

    fn report(&mut self) {
        let mut reports = std::mem::take(&mut self.held.reports);
        for (lease, report) in reports.iter_mut().filter(|(_, report)| !report.sent) {
            let number = self.send(wire::report(lease, &report.ended));
            report.sent = true;
            if let Some(connection) = &mut self.connection {
                connection.reported.insert(number, lease.clone());
            }
        }
        self.held.reports = reports;
    }

    /// Says for how many units there is room, when the coordinator believes something else.
    fn want(&mut self, wish: u32) {
        let units = self.held.free(&self.capacity);
        if units == wish {
            return;
        }
        self.send(Body::Want(v1::Want { units }));
        if let Some(known) = self.connection.as_mut().and_then(|connection| connection.registration.as_mut())
        {
            known.wish = units;
        }
    }

    fn send(&mut self, body: Body) -> u64 {
        self.number = self.number.saturating_add(1);
        self.actions.push(Action::Send(WorkerMessage { number: self.number, body: Some(body) }));
        self.number
    }
}
