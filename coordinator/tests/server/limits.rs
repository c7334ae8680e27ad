//! Bounds: messages, calls per second, connections that say nothing.

use std::num::NonZeroU32;
use std::time::Duration;

use palaestra_coordinator::{Limits, Right, Security};
use palaestra_proto::v1::blob_service_client::BlobServiceClient;
use palaestra_proto::v1::run_service_client::RunServiceClient;
use palaestra_proto::v1::{BlobChunk, ListRunsRequest};
use palaestra_proto::{MOST_MESSAGE_BYTES, Problem, Reason};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tonic::transport::Endpoint;

use crate::house::{House, tokens};

#[tokio::test]
async fn a_message_over_the_limit_is_refused() {
    let house = House::new().await;
    let address = house.listen(Security::default()).await;
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect_lazy();
    let chunk = |bytes| tokio_stream::iter([BlobChunk { data: vec![7; bytes] }]);
    let mut blobs = BlobServiceClient::new(channel);
    blobs.put_blob(chunk(MOST_MESSAGE_BYTES / 2)).await.unwrap();
    let refused = blobs.put_blob(chunk(MOST_MESSAGE_BYTES + 1)).await.unwrap_err();
    assert_eq!(Problem::from(&refused).reason, Reason::TooLarge, "{refused}");
}

#[tokio::test]
async fn too_many_calls_on_a_connection_are_refused_and_another_connection_is_not() {
    let limits = Limits { calls_per_second: NonZeroU32::MIN, ..Limits::default() };
    let house = House::with(limits).await;
    let address = house.listen(Security::default()).await;
    let connect = || {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        RunServiceClient::new(endpoint.connect_lazy())
    };
    let mut client = connect();
    client.list_runs(ListRunsRequest::default()).await.unwrap();
    let refused = client.list_runs(ListRunsRequest::default()).await.unwrap_err();
    assert_eq!(Problem::from(&refused).reason, Reason::TooMany);
    connect().list_runs(ListRunsRequest::default()).await.unwrap();
}

#[tokio::test]
async fn a_connection_that_makes_no_call_is_closed() {
    let limits = Limits { handshake: Duration::from_millis(50), connections: 1, ..Limits::default() };
    let house = House::with(limits).await;
    let address = house.listen(Security { tokens: tokens(&Right::ALL), tls: None }).await;
    let mut silent = TcpStream::connect(address).await.unwrap();
    let mut heard = Vec::new();
    // The server's first words may come, and then the end.
    let _ended = silent.read_to_end(&mut heard).await;
    // Its place is free again: the only one.
    let refused = RunServiceClient::connect(format!("http://{address}")).await.unwrap();
    let refused = { refused }.list_runs(ListRunsRequest::default()).await.unwrap_err();
    assert_eq!(Problem::from(&refused).reason, Reason::Unauthenticated);
}

#[tokio::test]
async fn a_listener_ends_when_the_coordinator_stops_even_with_idle_connections() {
    let house = House::with(Limits { closing: Duration::from_millis(50), ..Limits::default() }).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (serve, security) = (house.serve.clone(), Security::default());
    let serving =
        palaestra_runtime::tasks::spawn("listen", async move { serve.listen(listener, &security).await });
    let mut client = RunServiceClient::connect(format!("http://{address}")).await.unwrap();
    client.list_runs(ListRunsRequest::default()).await.unwrap();
    let _idle = TcpStream::connect(address).await.unwrap();
    house.stop.cancel();
    serving.await.unwrap().unwrap();
}
