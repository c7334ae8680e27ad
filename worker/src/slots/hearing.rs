//! What the coordinator says, and what follows from it.

use std::time::{Duration, Instant};

use palaestra_domain::{FailureClass, Lease};
use palaestra_proto::{Problem, Reason};

use super::action::Action;
use super::held::{Report, Running};
use super::machine::{Drain, Registration, Slots};
use crate::execute::Failed;
use crate::wire::{Ended, Grant, Heard};

impl Slots {
    /// The coordinator speaks.
    pub(crate) fn heard(&mut self, heard: Heard, now: Instant) {
        match heard {
            Heard::Registered(lease) => self.registered(lease, now),
            Heard::Granted(grants) => grants.into_iter().for_each(|grant| self.granted(grant, now)),
            Heard::Alive { number, current, over } => self.alive(number, &current, &over),
            Heard::Verdict { number, problem } => self.verdict(number, problem),
            Heard::Revoked(lease) => self.forget(&lease, "it was taken back"),
        }
    }

    fn registered(&mut self, lease: Duration, now: Instant) {
        if let Some(connection) = &mut self.connection {
            connection.pings.clear();
            // The first heartbeat tells at once which of the held leases are still current.
            connection.registration = Some(Registration { lease, heartbeat_at: now, wish: 0 });
        }
    }

    /// A lease lasts from when the coordinator gave it; that it was given just now is the best that can
    /// be known, and the next heartbeat tells better. There may be one unit more than slots, where the
    /// worker has not heard yet that it lost another one.
    fn granted(&mut self, grant: Grant, now: Instant) {
        let known = self.connection.as_mut().and_then(|connection| connection.registration.as_mut());
        if let Some(known) = known {
            known.wish = known.wish.saturating_sub(1);
        }
        if self.held.knows(&grant.lease) {
            return;
        }
        let after = |span: Duration| now.checked_add(span).unwrap_or(now);
        let environment = grant.unit.environment;
        if self.drain != Drain::No {
            let failed = Failed {
                class: FailureClass::Preemption,
                message: "the worker takes no more units".to_owned(),
            };
            let report = Report { environment, ended: Ended::Failed(failed), sent: false };
            self.held.reports.insert(grant.lease, report);
            return;
        }
        let running = Running { environment, until: after(grant.lasts), deadline: after(grant.deadline) };
        self.held.running.insert(grant.lease.clone(), running);
        self.actions.push(Action::Start(Box::new(grant)));
    }

    /// A renewed lease lasts from when the heartbeat was sent. What is over and only waits for its
    /// verdict may be over because its result has arrived: the verdict tells.
    fn alive(&mut self, number: u64, current: &[(Lease, Duration)], over: &[Lease]) {
        let sent = self.connection.as_mut().and_then(|connection| {
            let later = connection.pings.split_off(&number.saturating_add(1));
            let mut answered = std::mem::replace(&mut connection.pings, later);
            answered.remove(&number)
        });
        for (lease, lasts) in current {
            let until = sent.and_then(|sent| sent.checked_add(*lasts));
            if let (Some(running), Some(until)) = (self.held.running.get_mut(lease), until) {
                running.until = running.until.max(until);
            }
        }
        for lease in over {
            self.forget(lease, "the coordinator says so");
        }
    }

    fn verdict(&mut self, number: u64, problem: Option<Problem>) {
        let Some(connection) = &mut self.connection else { return };
        let reported = connection.reported.remove(&number);
        match (problem, reported) {
            (None, Some(lease)) => {
                self.held.reports.remove(&lease);
            }
            (None, None) if self.drain == Drain::Said(number) => self.drain = Drain::Acknowledged,
            (None, None) => {}
            // What cannot be done now is done on the next connection, and so is everything that a
            // coordinator refuses because it does not know the worker.
            (Some(problem), _) if problem.reason.retryable() || problem.reason == Reason::UnknownWorker => {
                self.reconnect(problem.to_string());
            }
            (Some(problem), Some(lease)) => self.report_refused(&lease, &problem),
            (Some(problem), None) => self.reconnect(problem.to_string()),
        }
    }

    fn report_refused(&mut self, lease: &Lease, problem: &Problem) {
        let Some(report) = self.held.reports.get_mut(lease) else { return };
        let reason = problem.reason.as_str();
        match (problem.reason, &report.ended) {
            (Reason::StaleLease | Reason::UnitEnded | Reason::RunOver, _) => {
                tracing::info!(%lease, reason, "the coordinator has no use for the unit's report");
                self.held.reports.remove(lease);
            }
            (_, Ended::Done { .. }) => {
                tracing::error!(%lease, reason, %problem, "the coordinator does not take the unit's result");
                let message = format!("the result was refused ({reason}): {problem}");
                let failed = Failed { class: FailureClass::Infrastructure, message };
                (report.ended, report.sent) = (Ended::Failed(failed), false);
            }
            (_, Ended::Failed(_)) => {
                tracing::error!(%lease, reason, %problem, "the coordinator does not take the unit's failure");
                self.held.reports.remove(lease);
            }
        }
    }
}
