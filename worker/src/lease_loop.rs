//! The one task that owns the worker's connection and its state: it carries events to the machine in
//! [`slots`](crate::slots) and does what the machine says. It decides nothing itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use palaestra_proto::{Problem, Reason};
use palaestra_runtime::{CancellationToken, Clock};

use crate::error::Error;
use crate::running::RunningUnits;
use crate::slots::{Action, Slots};
use crate::stream::{Incoming, WorkStream};
use crate::wire;

/// How long a stopping worker tries to tell the coordinator, after its units were stopped.
const FLUSH: Duration = Duration::from_secs(4);

/// Most events that are taken before anything is said in return.
const BATCH: usize = 1_024;

/// How long to sleep when nothing is planned: an event will wake the loop.
const IDLE: Duration = Duration::from_secs(3_600);

/// The worker's loop.
pub(crate) struct LeaseLoop {
    slots: Slots,
    stream: WorkStream,
    units: RunningUnits,
    clock: Arc<dyn Clock>,
    grace: Duration,
    stopping: Option<Stopping>,
    /// Whether it was logged that the coordinator is away.
    away: bool,
}

/// When a stopping worker loses its patience.
struct Stopping {
    /// With the units that run.
    give_back_at: Instant,
    /// With the coordinator.
    leave_at: Instant,
}

enum Event {
    Stop,
    Time,
    Incoming(Incoming),
    Ended(palaestra_domain::Lease, wire::Ended),
}

impl LeaseLoop {
    pub(crate) fn new(
        slots: Slots,
        stream: WorkStream,
        units: RunningUnits,
        clock: Arc<dyn Clock>,
        grace: Duration,
    ) -> Self {
        Self { slots, stream, units, clock, grace, stopping: None, away: false }
    }

    /// Works until `stop` is cancelled and everything is handed in or given back.
    pub(crate) async fn run(mut self, stop: CancellationToken) -> Result<(), Error> {
        loop {
            self.act();
            if self.may_leave() {
                return Ok(());
            }
            let event = self.wait(&stop).await;
            self.handle(event)?;
            // Whatever else has happened meanwhile is answered together with it.
            for _ in 0..BATCH {
                let Some(event) = self.happened() else { break };
                self.handle(event)?;
            }
        }
    }

    /// Does what the machine says.
    fn act(&mut self) {
        let now = self.clock.monotonic();
        if self.stopping.as_ref().is_some_and(|stopping| stopping.give_back_at <= now) {
            self.slots.give_back();
        }
        for action in self.slots.look(now) {
            match action {
                Action::Send(message) => self.stream.send(message),
                Action::Start(grant) => self.units.start(*grant),
                Action::Drop(lease) => self.units.stop(&lease),
                Action::Reconnect(why) => {
                    tracing::warn!(why, "connects to the coordinator anew");
                    self.stream.reconnect();
                }
            }
        }
    }

    /// Whether a stopping worker is done, or has waited for long enough.
    fn may_leave(&self) -> bool {
        let Some(stopping) = &self.stopping else { return false };
        if self.slots.is_drained() && self.units.is_empty() {
            return true;
        }
        let late = stopping.leave_at <= self.clock.monotonic();
        if late {
            let (running, reports) = self.slots.holds();
            tracing::warn!(running, reports, "leaves without the coordinator's word; leases will run out");
        }
        late
    }

    async fn wait(&mut self, stop: &CancellationToken) -> Event {
        let sleep = self.sleeps();
        tokio::select! {
            () = stop.cancelled(), if self.stopping.is_none() => Event::Stop,
            incoming = self.stream.next() => Event::Incoming(incoming),
            (lease, ended) = self.units.next() => Event::Ended(lease, ended),
            () = tokio::time::sleep(sleep) => Event::Time,
        }
    }

    /// Something that has happened already.
    fn happened(&mut self) -> Option<Event> {
        if let Some((lease, ended)) = self.units.next().now_or_never() {
            return Some(Event::Ended(lease, ended));
        }
        self.stream.next().now_or_never().map(Event::Incoming)
    }

    fn sleeps(&self) -> Duration {
        let now = self.clock.monotonic();
        let stopping = self.stopping.iter().flat_map(|stopping| [stopping.give_back_at, stopping.leave_at]);
        let wakes = stopping.filter(|at| *at > now).chain(self.slots.wakes_at()).min();
        wakes.map_or(IDLE, |at| at.saturating_duration_since(now))
    }

    fn handle(&mut self, event: Event) -> Result<(), Error> {
        let now = self.clock.monotonic();
        match event {
            Event::Time => {}
            Event::Stop => {
                tracing::info!(grace = ?self.grace, "stops: takes no more units and ends those that run");
                let after = |span| now.checked_add(span).unwrap_or(now);
                let leave_at = after(self.grace.saturating_add(FLUSH));
                self.stopping = Some(Stopping { give_back_at: after(self.grace), leave_at });
                self.slots.drain();
            }
            Event::Ended(lease, ended) => self.slots.ended(&lease, ended),
            Event::Incoming(Incoming::Opened) => self.slots.connected(now),
            Event::Incoming(Incoming::Lost(problem)) => {
                self.slots.disconnected();
                if problem.reason == Reason::Unauthenticated
                    || problem.details.contains_key(Problem::ANOTHER_PROCESS)
                {
                    return Err(Error::Refused { problem });
                }
                // An outage is told once, however often it is tried to end it.
                if !std::mem::replace(&mut self.away, true) {
                    let reason = problem.reason.as_str();
                    tracing::warn!(reason, %problem, "lost the coordinator; tries to reach it until it is back");
                }
            }
            Event::Incoming(Incoming::Heard(message)) => match wire::heard(*message) {
                Ok(heard) => {
                    if std::mem::replace(&mut self.away, false) {
                        tracing::info!("the coordinator is back");
                    }
                    self.slots.heard(heard, now);
                }
                // Whatever it was about, its lease runs out.
                Err(malformed) => tracing::error!(%malformed, "passes over a message of the coordinator"),
            },
        }
        Ok(())
    }
}
