//! A worker's side of the work stream, by hand.

use palaestra_proto::v1::coordinator_message::Body as Says;
use palaestra_proto::v1::payload::At;
use palaestra_proto::v1::worker_message::Body as Tells;
use palaestra_proto::v1::{
    CoordinatorMessage, Drain, Grant, Heartbeat, Lease, Payload, Register, Tally, UnitDone, UnitFailed,
    Verdict, Want, WorkerMessage,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use crate::house::House;

pub(crate) struct Worker {
    out: mpsc::Sender<WorkerMessage>,
    inbound: Streaming<CoordinatorMessage>,
    number: u64,
}

impl Worker {
    /// Opens a stream without saying anything.
    pub(crate) async fn connect(house: &House) -> Self {
        let (out, messages) = mpsc::channel(1_024);
        let inbound = house.workers().work(ReceiverStream::new(messages)).await.unwrap().into_inner();
        Self { out, inbound, number: 0 }
    }

    /// Opens a stream and registers.
    pub(crate) async fn register(house: &House, name: &str, incarnation: u64) -> Self {
        let mut worker = Self::connect(house).await;
        let capacity = [("workshop".to_owned(), 1_000)].into();
        worker.tell(Tells::Register(Register { worker: name.to_owned(), capacity, incarnation })).await;
        assert!(matches!(worker.hear().await, Says::Registered(registered) if registered.lease_ms == 30_000));
        worker
    }

    /// Says something, and answers its number.
    pub(crate) async fn tell(&mut self, body: Tells) -> u64 {
        self.number += 1;
        self.out.send(WorkerMessage { number: self.number, body: Some(body) }).await.unwrap();
        self.number
    }

    pub(crate) async fn next(&mut self) -> Result<Option<CoordinatorMessage>, Status> {
        self.inbound.message().await
    }

    pub(crate) async fn hear(&mut self) -> Says {
        self.next().await.unwrap().unwrap().body.unwrap()
    }

    pub(crate) async fn want(&mut self, units: u32) {
        self.tell(Tells::Want(Want { units })).await;
    }

    /// The next units.
    pub(crate) async fn granted(&mut self) -> Vec<Grant> {
        match self.hear().await {
            Says::Granted(granted) => granted.units,
            other => panic!("not units: {other:?}"),
        }
    }

    pub(crate) async fn done(&mut self, grant: &Grant, result: Payload) -> u64 {
        let tally = Tally { passed: grant.unit.as_ref().unwrap().attempts, ..Tally::default() };
        let lease = grant.lease.clone();
        self.tell(Tells::Done(UnitDone { lease, result: Some(result), tally: Some(tally) })).await
    }

    pub(crate) async fn failed(&mut self, lease: &Lease) -> u64 {
        let (lease, class) = (Some(lease.clone()), "infrastructure".to_owned());
        self.tell(Tells::Failed(UnitFailed { lease, class, message: "the disk is full".to_owned() })).await
    }

    pub(crate) async fn heartbeat(&mut self, held: Vec<Lease>) -> u64 {
        self.tell(Tells::Heartbeat(Heartbeat { held })).await
    }

    pub(crate) async fn drain(&mut self) -> u64 {
        self.tell(Tells::Drain(Drain {})).await
    }

    /// The verdict about a message: nothing, or the reason of the refusal.
    pub(crate) async fn verdict(&mut self, about: u64) -> Option<String> {
        match self.hear().await {
            Says::Verdict(Verdict { number, problem }) if number == about => {
                problem.map(|problem| problem.reason)
            }
            other => panic!("not the verdict about {about}: {other:?}"),
        }
    }
}

pub(crate) fn inline(bytes: &[u8]) -> Payload {
    Payload { at: Some(At::Inline(bytes.to_vec())) }
}

pub(crate) fn at(digest: palaestra_domain::Digest) -> Payload {
    Payload { at: Some(At::Digest(digest.as_bytes().to_vec())) }
}
