//! A coordinator whose every word is decided by the test. It decides nothing itself and keeps blobs only.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures::{Stream, StreamExt as _};
use hyper_util::rt::TokioIo;
use palaestra_domain::Digest;
use palaestra_proto::v1::blob_service_server::{BlobService, BlobServiceServer};
use palaestra_proto::v1::worker_service_server::{WorkerService, WorkerServiceServer};
use palaestra_proto::v1::{self, CoordinatorMessage, WorkerMessage};
use palaestra_proto::{Problem, Reason, chunks};
use palaestra_runtime::{CancellationToken, tasks};
use tokio::io::DuplexStream;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tonic::transport::{Channel, Endpoint, Server, Uri};
use tonic::{Request, Response, Status, Streaming};

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// What a call meets.
pub enum Reply {
    Status(Status),
    /// No answer, ever.
    Hang,
    Recalled(v1::RecallReply),
}

/// A call that was served, in the order of their arrival.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Recall(v1::RecallRequest),
    Reserve(v1::ReserveRequest),
    Intend(v1::IntendRequest),
    Withdraw(v1::IntendRequest),
    Answer(v1::AnswerRequest),
    Lost(v1::HoldRequest),
    Release(v1::HoldRequest),
    Share(v1::ShareRequest),
    Return(v1::ReturnShareRequest),
    Put(Digest),
    Get(Digest),
}

/// The work stream of a worker, seen from the coordinator.
pub struct FakeStream {
    pub from: Streaming<WorkerMessage>,
    pub to: UnboundedSender<Result<CoordinatorMessage, Status>>,
}

#[derive(Default)]
struct State {
    replies: VecDeque<Reply>,
    calls: Vec<Call>,
    blobs: BTreeMap<Digest, Vec<u8>>,
}

/// The coordinator. Clones are the same one.
#[derive(Clone)]
pub struct Fake {
    state: Arc<Mutex<State>>,
    streams: UnboundedSender<FakeStream>,
    away: Arc<AtomicBool>,
    /// Breaks every connection that is open when it is cancelled.
    cut: Arc<Mutex<CancellationToken>>,
}

impl Fake {
    /// A coordinator, the way to it, and the streams that workers open.
    pub fn start() -> (Self, Channel, UnboundedReceiver<FakeStream>) {
        let (streams, opened) = mpsc::unbounded_channel();
        let fake = Self { state: Arc::default(), streams, away: Arc::default(), cut: Arc::default() };
        let channel = fake.connect();
        (fake, channel, opened)
    }

    /// Another way to it, as of another worker.
    pub fn connect(&self) -> Channel {
        let (clients, mut connections) = mpsc::unbounded_channel::<DuplexStream>();
        let incoming = futures::stream::poll_fn(move |context| connections.poll_recv(context));
        let server = Server::builder()
            .add_service(WorkerServiceServer::new(self.clone()))
            .add_service(BlobServiceServer::new(self.clone()))
            .serve_with_incoming(incoming.map(Ok::<_, io::Error>));
        tasks::spawn("fake coordinator", async move { server.await.unwrap() });
        let fake = self.clone();
        let connect = move |_: Uri| {
            let (fake, clients) = (fake.clone(), clients.clone());
            async move {
                if fake.away.load(Ordering::Relaxed) {
                    return Err(io::Error::from(io::ErrorKind::ConnectionRefused));
                }
                // Between the two ends is a line that can be cut.
                let ((near, mut here), (mut there, far)) =
                    (tokio::io::duplex(1 << 16), tokio::io::duplex(1 << 16));
                clients.send(far).map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused))?;
                let cut = fake.cut.lock().unwrap().clone();
                tasks::spawn("line", async move {
                    tokio::select! {
                        () = cut.cancelled() => {}
                        _ = tokio::io::copy_bidirectional(&mut here, &mut there) => {}
                    }
                });
                Ok(TokioIo::new(near))
            }
        };
        Endpoint::from_static("http://fake").connect_with_connector_lazy(tower::service_fn(connect))
    }

    /// Breaks every connection, and refuses new ones until [`back`](Self::back).
    pub fn leave(&self) {
        self.away.store(true, Ordering::Relaxed);
        std::mem::take(&mut *self.cut.lock().unwrap()).cancel();
    }

    pub fn back(&self) {
        self.away.store(false, Ordering::Relaxed);
    }

    /// What the next calls meet; after them, everything succeeds.
    pub fn replies(&self, replies: impl IntoIterator<Item = Reply>) {
        self.state.lock().unwrap().replies.extend(replies);
    }

    pub fn calls(&self) -> Vec<Call> {
        self.state.lock().unwrap().calls.clone()
    }

    pub fn keep(&self, digest: Digest, bytes: &[u8]) {
        self.state.lock().unwrap().blobs.insert(digest, bytes.to_vec());
    }

    pub fn blobs(&self) -> BTreeMap<Digest, Vec<u8>> {
        self.state.lock().unwrap().blobs.clone()
    }

    pub fn blob(&self, digest: Digest) -> Option<Vec<u8>> {
        self.state.lock().unwrap().blobs.get(&digest).cloned()
    }

    async fn serve(&self, call: Call) -> Result<v1::RecallReply, Status> {
        let reply = {
            let mut state = self.state.lock().unwrap();
            state.calls.push(call);
            state.replies.pop_front()
        };
        match reply {
            None => Ok(v1::RecallReply::default()),
            Some(Reply::Recalled(recalled)) => Ok(recalled),
            Some(Reply::Status(status)) => Err(status),
            Some(Reply::Hang) => std::future::pending().await,
        }
    }

    async fn done(&self, call: Call) -> Result<Response<v1::Done>, Status> {
        self.serve(call).await.map(|_| Response::new(v1::Done {}))
    }
}

/// A refusal with our reason.
pub fn refusal(reason: Reason) -> Reply {
    Reply::Status(Problem::new(reason, "no").into())
}

#[tonic::async_trait]
impl WorkerService for Fake {
    type WorkStream = Replies<CoordinatorMessage>;

    async fn work(
        &self,
        request: Request<Streaming<WorkerMessage>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let (to, mut said) = mpsc::unbounded_channel();
        let opened = FakeStream { from: request.into_inner(), to };
        self.streams.send(opened).map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(futures::stream::poll_fn(move |context| said.poll_recv(context)).boxed()))
    }

    async fn recall(&self, request: Request<v1::RecallRequest>) -> Result<Response<v1::RecallReply>, Status> {
        self.serve(Call::Recall(request.into_inner())).await.map(Response::new)
    }

    async fn reserve(&self, request: Request<v1::ReserveRequest>) -> Result<Response<v1::Done>, Status> {
        self.done(Call::Reserve(request.into_inner())).await
    }

    async fn intend(&self, request: Request<v1::IntendRequest>) -> Result<Response<v1::Done>, Status> {
        self.done(Call::Intend(request.into_inner())).await
    }

    async fn withdraw(&self, request: Request<v1::IntendRequest>) -> Result<Response<v1::Done>, Status> {
        self.done(Call::Withdraw(request.into_inner())).await
    }

    async fn answer(&self, request: Request<v1::AnswerRequest>) -> Result<Response<v1::Done>, Status> {
        self.done(Call::Answer(request.into_inner())).await
    }

    async fn lost(&self, request: Request<v1::HoldRequest>) -> Result<Response<v1::Done>, Status> {
        self.done(Call::Lost(request.into_inner())).await
    }

    async fn release(&self, request: Request<v1::HoldRequest>) -> Result<Response<v1::Done>, Status> {
        self.done(Call::Release(request.into_inner())).await
    }

    async fn request_share(
        &self,
        request: Request<v1::ShareRequest>,
    ) -> Result<Response<v1::ShareReply>, Status> {
        self.serve(Call::Share(request.into_inner())).await?;
        Ok(Response::new(v1::ShareReply { grant: 3, slots: 2, lasts_ms: 1_500 }))
    }

    async fn return_share(
        &self,
        request: Request<v1::ReturnShareRequest>,
    ) -> Result<Response<v1::Done>, Status> {
        self.done(Call::Return(request.into_inner())).await
    }
}

#[tonic::async_trait]
impl BlobService for Fake {
    type GetBlobStream = Replies<v1::BlobChunk>;

    async fn put_blob(
        &self,
        request: Request<Streaming<v1::BlobChunk>>,
    ) -> Result<Response<v1::PutBlobReply>, Status> {
        let mut chunks = request.into_inner();
        let mut bytes = Vec::new();
        while let Some(chunk) = chunks.message().await? {
            bytes.extend(chunk.data);
        }
        let digest = Digest::of(&bytes);
        self.serve(Call::Put(digest)).await?;
        self.keep(digest, &bytes);
        Ok(Response::new(v1::PutBlobReply { digest: digest.as_bytes().to_vec() }))
    }

    async fn get_blob(
        &self,
        request: Request<v1::GetBlobRequest>,
    ) -> Result<Response<Self::GetBlobStream>, Status> {
        let digest = Digest::from_bytes(request.into_inner().digest.try_into().unwrap());
        self.serve(Call::Get(digest)).await?;
        let missing = || Status::from(Problem::new(Reason::NotFound, "no such blob"));
        let bytes = self.blob(digest).ok_or_else(missing)?;
        Ok(Response::new(futures::stream::iter(chunks::of(bytes).map(Ok)).boxed()))
    }
}
