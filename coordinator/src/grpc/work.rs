//! A worker's one long stream: it registers, says what it holds, asks for units, brings results.
//!
//! Messages of one stream are served side by side, so that a thousand results share an append. When
//! the stream ends nothing is given back: the worker reconnects, or its leases run out.

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{FuturesUnordered, StreamExt as _};
use palaestra_domain::{FailureClass, Lease, Tally, WorkerId};
use palaestra_proto::convert::{Malformed, named, required};
use palaestra_proto::v1::coordinator_message::Body as Says;
use palaestra_proto::v1::worker_message::Body as Heard;
use palaestra_proto::v1::{
    Alive, CoordinatorMessage, Grant as WireGrant, Granted, Heartbeat, Register, Registered, Renewed,
    Revoked, UnitDone, UnitFailed, Verdict, WorkerMessage,
};
use palaestra_proto::{Problem, Reason, v1};
use palaestra_runtime::tasks;
use tokio::sync::{broadcast, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::refusals;
use super::services::Services;
use crate::core::AskError;
use crate::effect::{Answer, Grant};
use crate::news::News;
use crate::state::{Capacity, Command, Millis};

/// Most messages of one stream that are served at once; later ones wait on the wire.
const MOST_UNDER_WAY: usize = 1_024;

/// Most units in one message, so that it stays small.
const MOST_GRANTS: u32 = 256;

/// Answers that may wait for a slow worker.
const OUTBOX: usize = 256;

/// The longest word of a worker that is logged, in characters.
const MOST_LOGGED: usize = 2_000;

type Outbox = mpsc::Sender<Result<CoordinatorMessage, Status>>;

/// Serves a stream in the background.
pub(super) fn begin(
    services: Services,
    inbound: Streaming<WorkerMessage>,
) -> ReceiverStream<Result<CoordinatorMessage, Status>> {
    let (outbox, out) = mpsc::channel(OUTBOX);
    tasks::spawn("work stream", async move {
        if let Err(problem) = serve(&services, inbound, &outbox).await {
            services.metrics.refused(problem.reason);
            // The worker may be gone.
            let _gone = outbox.send(Err(problem.into())).await;
        }
    });
    ReceiverStream::new(out)
}

async fn serve(
    services: &Services,
    mut inbound: Streaming<WorkerMessage>,
    outbox: &Outbox,
) -> Result<(), Problem> {
    let stopping = || Problem::new(Reason::Unavailable, "the coordinator stops; go to the one that leads");
    let (worker, another) = tokio::select! {
        () = services.stop.cancelled() => return Err(stopping()),
        registered = register(services, &mut inbound) => registered?,
    };
    let session = services.sessions.open(&worker, another);
    let stream = Stream { services, worker, outbox, wish: watch::Sender::new(0) };
    tokio::select! {
        () = services.stop.cancelled() => Err(stopping()),
        () = session.replaced.cancelled() => {
            Err(Problem::new(Reason::Conflict, "a newer stream of this worker is served instead"))
        }
        () = session.succeeded.cancelled() => {
            let message = "another process has this worker's name; give every worker a name of its own";
            Err(Problem::new(Reason::Conflict, message).with(Problem::ANOTHER_PROCESS, true))
        }
        ended = stream.talk(&mut inbound) => ended,
    }
}

/// The first message: who registers, and whether another process of the same name did before.
async fn register(
    services: &Services,
    inbound: &mut Streaming<WorkerMessage>,
) -> Result<(WorkerId, bool), Problem> {
    let late = |_| Problem::new(Reason::Malformed, "the stream said nothing; register first");
    let first = tokio::time::timeout(services.limits.handshake, inbound.message()).await.map_err(late)?;
    let Ok(Some(WorkerMessage { body: Some(Heard::Register(register)), .. })) = first else {
        return Err(Problem::new(Reason::Malformed, "the first message of a stream must be `register`"));
    };
    let Register { worker, capacity, incarnation } = register;
    let worker = WorkerId::new(worker)
        .map_err(|error| Malformed { field: "register.worker", message: error.to_string() })?;
    let capacity: Result<Capacity, Malformed> =
        capacity.iter().map(|(name, slots)| Ok((named("register.capacity", name)?, *slots))).collect();
    let another = services.sessions.is_another(&worker, incarnation);
    if another {
        take_back(services, &worker).await?;
    }
    let command = Command::Register { worker: worker.clone(), capacity: capacity? };
    services.core.ask(command).await.map_err(|error| refusals::ask(&error))?;
    Ok((worker, another))
}

/// The process that had the worker's name is gone: its units need not wait until their leases run out.
pub(crate) async fn take_back(services: &Services, worker: &WorkerId) -> Result<(), Problem> {
    let forgotten = services.core.ask(Command::Forget { worker: worker.clone() }).await;
    forgotten.map(drop).map_err(|error| refusals::ask(&error))
}

/// A registered worker's stream.
struct Stream<'s> {
    services: &'s Services,
    worker: WorkerId,
    outbox: &'s Outbox,
    /// For how many units the worker has room.
    wish: watch::Sender<u32>,
}

impl Stream<'_> {
    /// Serves messages until the worker or the network ends the stream.
    async fn talk(&self, inbound: &mut Streaming<WorkerMessage>) -> Result<(), Problem> {
        let mut news = self.services.core.news();
        self.say(Says::Registered(Registered { lease_ms: self.services.core.settings().lease.0 })).await?;
        let mut supply = std::pin::pin!(self.supply());
        let mut under_way: FuturesUnordered<BoxFuture<'_, Result<(), Problem>>> = FuturesUnordered::new();
        let mut listening = true;
        while listening || !under_way.is_empty() {
            tokio::select! {
                biased;
                Some(served) = under_way.next() => served?,
                ended = &mut supply => return ended,
                heard = news.recv() => {
                    if let Some(lease) = self.revoked(heard)? {
                        under_way.push(self.say(Says::Revoked(Revoked { lease: Some((&lease).into()) })).boxed());
                    }
                }
                message = inbound.message(), if listening && under_way.len() < MOST_UNDER_WAY => match message {
                    Ok(Some(message)) => under_way.push(self.hear(message).boxed()),
                    Ok(None) => listening = false,
                    Err(status) => {
                        tracing::debug!(worker.id = %self.worker, %status, "a work stream broke");
                        return Ok(());
                    }
                },
            }
        }
        Ok(())
    }

    /// Serves one message. An error ends the stream: the worker must connect or register again.
    async fn hear(&self, message: WorkerMessage) -> Result<(), Problem> {
        let WorkerMessage { number, body } = message;
        match required("body", body)? {
            Heard::Register(_) => Err(Problem::new(Reason::Malformed, "`register` comes once, and first")),
            Heard::Heartbeat(heartbeat) => self.heartbeat(number, heartbeat).await,
            Heard::Want(want) => {
                self.wish.send_replace(want.units);
                Ok(())
            }
            Heard::Done(done) => self.verdict(number, self.done(done).await).await,
            Heard::Failed(failed) => self.verdict(number, self.failed(failed).await).await,
            Heard::Drain(_) => {
                let drained = self.ask(Command::Drain { worker: self.worker.clone() }).await;
                self.verdict(number, drained.map(|_| ())).await
            }
        }
    }

    async fn heartbeat(&self, number: u64, heartbeat: Heartbeat) -> Result<(), Problem> {
        let held: Result<Vec<Lease>, Malformed> = heartbeat.held.into_iter().map(Lease::try_from).collect();
        let command = Command::Heartbeat { worker: self.worker.clone(), held: held? };
        let Answer::Leases { current, over } = self.ask(command).await? else { return Ok(()) };
        let renewed =
            |(lease, lasts): &(Lease, Millis)| Renewed { lease: Some(lease.into()), lasts_ms: lasts.0 };
        let (current, over) =
            (current.iter().map(renewed).collect(), over.iter().map(v1::Lease::from).collect());
        self.say(Says::Alive(Alive { number, current, over })).await
    }

    async fn done(&self, done: UnitDone) -> Result<(), Problem> {
        let lease = Lease::try_from(required("done.lease", done.lease)?)?;
        let tally = Tally::from(required("done.tally", done.tally)?);
        let result = self.services.rest("done.result", done.result).await?;
        self.ask(Command::Result { lease, result, tally }).await.map(|_| ())
    }

    async fn failed(&self, failed: UnitFailed) -> Result<(), Problem> {
        let lease = Lease::try_from(required("failed.lease", failed.lease)?)?;
        let class: FailureClass = named("failed.class", &failed.class)?;
        let message: String = failed.message.chars().take(MOST_LOGGED).collect();
        tracing::warn!(worker.id = %self.worker, lease = %lease, class = ?class, message, "a unit came to nothing");
        self.ask(Command::Fail { lease, class }).await.map(|_| ())
    }

    /// Says what became of a message. What the store could not do is no verdict: the worker sends it
    /// again on its next stream.
    async fn verdict(&self, number: u64, result: Result<(), Problem>) -> Result<(), Problem> {
        let problem = match result {
            Ok(()) => None,
            Err(problem) if problem.reason.retryable() => return Err(problem),
            Err(problem) => {
                self.services.metrics.refused(problem.reason);
                Some(v1::Problem { reason: problem.reason.as_str().to_owned(), message: problem.message })
            }
        };
        self.say(Says::Verdict(Verdict { number, problem })).await
    }

    /// Hands out units while the worker has room: at once, and whenever some may have become free.
    async fn supply(&self) -> Result<(), Problem> {
        let gone = |_| Problem::new(Reason::Unavailable, AskError::Over.to_string());
        let mut wish = self.wish.subscribe();
        let mut available = self.services.core.available();
        loop {
            available.borrow_and_update();
            let wanted = *wish.borrow_and_update();
            let unfilled = self.grant(wanted).await?;
            tokio::select! {
                changed = wish.changed() => changed.map_err(gone)?,
                changed = available.changed(), if unfilled => changed.map_err(gone)?,
            }
        }
    }

    /// Asks for units until the wish is filled or there are no more; whether some are still wished
    /// for.
    async fn grant(&self, wanted: u32) -> Result<bool, Problem> {
        let mut left = wanted;
        while left > 0 {
            let most = left.min(MOST_GRANTS);
            let command = Command::RequestUnits { worker: self.worker.clone(), most };
            let Answer::Units(grants) = self.ask(command).await? else { break };
            if grants.is_empty() {
                break;
            }
            let count = u32::try_from(grants.len()).unwrap_or(u32::MAX);
            left = left.saturating_sub(count);
            // Silently: the new wish is read before the next wait.
            self.wish.send_if_modified(|wish| {
                *wish = wish.saturating_sub(count);
                false
            });
            let units = grants.iter().map(wire_grant).collect();
            self.say(Says::Granted(Granted { units })).await?;
            if count < most {
                break;
            }
        }
        Ok(left > 0)
    }

    /// A lease of this worker that is over.
    fn revoked(&self, heard: Result<News, broadcast::error::RecvError>) -> Result<Option<Lease>, Problem> {
        match heard {
            Ok(News::Revoked { worker, lease }) if worker == self.worker => Ok(Some(lease)),
            // What was missed comes with the next heartbeat's answer.
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => Ok(None),
            Err(broadcast::error::RecvError::Closed) => {
                Err(Problem::new(Reason::Unavailable, AskError::Over.to_string()))
            }
        }
    }

    async fn ask(&self, command: Command) -> Result<Answer, Problem> {
        self.services.core.ask(command).await.map_err(|error| refusals::ask(&error))
    }

    async fn say(&self, body: Says) -> Result<(), Problem> {
        let message = CoordinatorMessage { body: Some(body) };
        let gone = |_| Problem::new(Reason::Unavailable, "the worker does not listen any more");
        self.outbox.send(Ok(message)).await.map_err(gone)
    }
}

fn wire_grant(grant: &Grant) -> WireGrant {
    WireGrant {
        lease: Some((&grant.lease).into()),
        unit: Some((&grant.plan).into()),
        submission: grant.submission.as_bytes().to_vec(),
        lasts_ms: grant.lasts.0,
        deadline_ms: grant.deadline.0,
    }
}
