//! TLS and mutual TLS: who is let in, and who is not.

use std::net::SocketAddr;

use palaestra_coordinator::{Error, Right, Security, Tokens};
use palaestra_proto::v1::ListRunsRequest;
use palaestra_proto::v1::run_service_client::RunServiceClient;
use tokio::net::TcpListener;
use tonic::transport::{ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status};

use crate::certificates::Certificates;
use crate::house::{House, token, tokens};

/// Lists runs with the client's token.
async fn list(address: SocketAddr, tls: Option<ClientTlsConfig>) -> Result<(), Status> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}")).unwrap();
    if let Some(tls) = tls {
        endpoint = endpoint.tls_config(tls).unwrap();
    }
    let mut request = Request::new(ListRunsRequest::default());
    let bearer = format!("Bearer {}", token(Right::Client));
    request.metadata_mut().insert("authorization", bearer.parse().unwrap());
    RunServiceClient::new(endpoint.connect_lazy()).list_runs(request).await.map(|_| ())
}

fn protected(tls: palaestra_coordinator::Tls) -> Security {
    Security { tokens: tokens(&[Right::Worker, Right::Client]), tls: Some(tls) }
}

#[tokio::test]
async fn a_client_that_trusts_the_authority_gets_in() {
    let (house, certificates) = (House::new().await, Certificates::new());
    let address = house.listen(protected(certificates.server(false))).await;
    list(address, Some(certificates.client())).await.unwrap();
}

#[tokio::test]
async fn plain_text_and_a_foreign_authority_do_not() {
    let (house, certificates) = (House::new().await, Certificates::new());
    let address = house.listen(protected(certificates.server(false))).await;
    assert!(list(address, None).await.is_err());
    assert_eq!(
        list(address, Some(Certificates::new().client())).await.unwrap_err().code(),
        Code::Unavailable
    );
}

#[tokio::test]
async fn with_mutual_tls_a_certificate_is_needed_and_does_not_replace_the_token() {
    let (house, certificates) = (House::new().await, Certificates::new());
    let address = house.listen(protected(certificates.server(true))).await;
    list(address, Some(certificates.client_with_certificate())).await.unwrap();
    assert!(list(address, Some(certificates.client())).await.is_err(), "without a certificate");
    let foreign = Certificates::new();
    let tls = foreign.client_with_certificate().ca_certificate(certificates.authority());
    assert!(list(address, Some(tls)).await.is_err(), "a certificate of another authority");

    let endpoint = Endpoint::from_shared(format!("https://{address}")).unwrap();
    let channel = endpoint.tls_config(certificates.client_with_certificate()).unwrap().connect_lazy();
    let refused = RunServiceClient::new(channel).list_runs(ListRunsRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated, "a certificate alone is not enough");
}

#[tokio::test]
async fn an_address_that_others_reach_is_refused_without_protection() {
    let (house, certificates) = (House::new().await, Certificates::new());
    let refused = |security: Security| {
        let serve = house.serve.clone();
        async move {
            let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
            matches!(serve.listen(listener, &security).await, Err(Error::Insecure { .. }))
        }
    };
    assert!(refused(Security::default()).await);
    assert!(refused(Security { tokens: tokens(&Right::ALL), tls: None }).await, "tokens without TLS");
    assert!(refused(Security { tokens: Tokens::default(), tls: Some(certificates.server(true)) }).await);
    let worker_only = Security { tokens: tokens(&[Right::Worker]), tls: Some(certificates.server(false)) };
    assert!(refused(worker_only).await);
}
