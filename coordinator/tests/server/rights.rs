//! Every right against every method: whoever has not the right learns nothing.

use std::collections::BTreeMap;

use http::Request;
use http_body_util::{BodyExt as _, Full};
use palaestra_coordinator::{Limits, Right, Security};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tower::{Service as _, ServiceExt as _};

use crate::house::{House, token, tokens};

/// Methods, and who may call them.
const METHODS: &[(&str, &[Right])] = &[
    ("/palaestra.v1alpha1.WorkerService/Work", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/Recall", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/Reserve", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/Intend", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/Withdraw", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/Answer", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/Lost", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/Release", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/RequestShare", &[Right::Worker]),
    ("/palaestra.v1alpha1.WorkerService/ReturnShare", &[Right::Worker]),
    ("/palaestra.v1alpha1.BlobService/PutBlob", &[Right::Worker, Right::Client]),
    ("/palaestra.v1alpha1.BlobService/GetBlob", &[Right::Worker, Right::Client]),
    ("/palaestra.v1alpha1.RunService/Submit", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/ListRuns", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/GetRun", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/WatchRun", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/PauseRun", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/ResumeRun", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/CancelRun", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/GetBank", &[Right::Client]),
    ("/palaestra.v1alpha1.RunService/ListArtefacts", &[Right::Client]),
    ("/grpc.health.v1.Health/Check", &Right::ALL),
    ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", &Right::ALL),
    ("/palaestra.v1alpha1.RunService/NoSuchMethod", &[Right::Client]),
    ("/no.such.Service/Method", &Right::ALL),
    ("/", &Right::ALL),
];

/// Everything that an answer tells.
type Told = (u16, BTreeMap<String, Vec<u8>>, Vec<u8>);

/// Calls a method with one empty message.
async fn call(channel: &mut Channel, path: &str, bearer: Option<&str>) -> Told {
    let mut request = Request::post(format!("http://localhost{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    if let Some(bearer) = bearer {
        request = request.header("authorization", format!("Bearer {bearer}"));
    }
    let message = Body::new(Full::from(vec![0_u8; 5]));
    let answer = channel.ready().await.unwrap().call(request.body(message).unwrap()).await.unwrap();
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.unwrap();
    let trailers = body.trailers().cloned().unwrap_or_default();
    let named = parts.headers.iter().chain(trailers.iter()).filter(|(name, _)| name.as_str() != "date");
    let headers = named.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    (parts.status.as_u16(), headers, body.to_bytes().to_vec())
}

fn status(told: &Told) -> &[u8] {
    told.1.get("grpc-status").map_or(b"", Vec::as_slice)
}

/// `UNAUTHENTICATED`, as gRPC writes it.
const UNAUTHENTICATED: &[u8] = b"16";

#[tokio::test]
async fn each_right_opens_its_methods_and_every_refusal_is_the_same() {
    // No stream waits long for a first message that does not come.
    let house =
        House::with(Limits { handshake: std::time::Duration::from_secs(1), ..Limits::default() }).await;
    let address = house.listen(Security { tokens: tokens(&Right::ALL), tls: None }).await;
    let mut channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect_lazy();
    let reference = call(&mut channel, "/no.such.Service/Method", None).await;
    assert_eq!(status(&reference), UNAUTHENTICATED);
    for (method, allowed) in METHODS {
        for bearer in [None, Some("wrong-token-0123456")] {
            assert_eq!(call(&mut channel, method, bearer).await, reference, "{method} with {bearer:?}");
        }
        for right in Right::ALL {
            let told = call(&mut channel, method, Some(&token(right))).await;
            if allowed.contains(&right) {
                assert_ne!(status(&told), UNAUTHENTICATED, "{method} is closed to {right}");
            } else {
                assert_eq!(told, reference, "{method} with the token for {right}");
            }
        }
    }
}

#[test]
fn every_method_of_every_service_is_in_the_table() {
    let described = FileDescriptorSet::decode(palaestra_proto::DESCRIPTORS).unwrap();
    let mut count = 0;
    for file in &described.file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                assert!(METHODS.iter().any(|(known, _)| *known == path), "{path} is not in the table");
                count += 1;
            }
        }
    }
    assert_eq!(count, 21);
}

#[tokio::test]
async fn without_tokens_loopback_has_every_right() {
    let house = House::new().await;
    let address = house.listen(Security::default()).await;
    let mut channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect_lazy();
    for method in ["/palaestra.v1alpha1.RunService/ListRuns", "/grpc.health.v1.Health/Check"] {
        let told = call(&mut channel, method, None).await;
        assert_eq!(status(&told), b"0", "{method}");
    }
}
