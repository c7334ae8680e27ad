//! Accepted connections: counted, paced, and closed when they do not come to the point.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;
use tonic::transport::server::Connected;

use super::limits::Limits;

/// How long to wait after the system refused to accept, for example for want of file descriptors.
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_millis(100);

/// What is known of the other end of a connection; every call on it carries this.
#[derive(Debug, Clone)]
pub(crate) struct Peer(Arc<PeerState>);

#[derive(Debug)]
struct PeerState {
    address: SocketAddr,
    pace: DefaultDirectRateLimiter,
    welcome: AtomicBool,
}

impl Peer {
    fn new(address: SocketAddr, limits: &Limits) -> Self {
        let pace = RateLimiter::direct(Quota::per_second(limits.calls_per_second));
        Self(Arc::new(PeerState { address, pace, welcome: AtomicBool::new(false) }))
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// Whether one more call is within the pace.
    pub(crate) fn within_pace(&self) -> bool {
        self.0.pace.check().is_ok()
    }

    /// It has made a call that it may make: its connection may stay.
    pub(crate) fn welcome(&self) {
        self.0.welcome.store(true, Ordering::Relaxed);
    }

    fn is_welcome(&self) -> bool {
        self.0.welcome.load(Ordering::Relaxed)
    }
}

/// A connection that holds one of the listener's places until it is closed.
pub(crate) struct Connection {
    io: TcpStream,
    peer: Peer,
    deadline: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

/// The connections of a listener, at most as many at once as the limits allow.
pub(crate) fn incoming(listener: TcpListener, limits: Limits) -> impl Stream<Item = io::Result<Connection>> {
    let places = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
    futures::stream::unfold((listener, places), move |(listener, places)| async move {
        let place = Arc::clone(&places).acquire_owned().await.ok()?;
        let accepted = listener.accept().await;
        if accepted.is_err() {
            tokio::time::sleep(PAUSE_AFTER_REFUSAL).await;
        }
        let connection = accepted.and_then(|(io, address)| {
            io.set_nodelay(true)?;
            let deadline = Box::pin(tokio::time::sleep(limits.handshake));
            Ok(Connection { io, peer: Peer::new(address, &limits), deadline, _place: place })
        });
        Some((connection, (listener, places)))
    })
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // A connection that never makes a call must not keep its place.
        if !self.peer.is_welcome() && self.deadline.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}
