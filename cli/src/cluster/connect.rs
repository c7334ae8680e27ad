//! A client of a coordinator.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use palaestra_proto::v1::RunRequest;
use palaestra_proto::v1::run_service_client::RunServiceClient;
use palaestra_proto::{MOST_MESSAGE_BYTES, Problem, Reason};
use palaestra_runtime::CancellationToken;
use palaestra_store::Blobs;
use palaestra_worker::{Link, LinkSettings, RemoteBlobs, Service, TlsFiles};
use tonic::{Response, Status};

use crate::args::ConnectArgs;
use crate::exit::InvalidInput;

/// How long a coordinator may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A coordinator's run service.
pub type Runs = RunServiceClient<Service>;

/// The way to a coordinator. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    link: Link,
}

impl ConnectArgs {
    /// A link with these settings; to be made inside an async runtime.
    ///
    /// # Errors
    /// When an address, a certificate or a token cannot be used.
    pub fn link(&self) -> Result<Link> {
        for address in &self.coordinators {
            if !address.starts_with("http://") && !address.starts_with("https://") {
                let message = format!("`{address}` is not a coordinator's address; write http://{address}");
                return Err(InvalidInput(message).into());
            }
        }
        let identity = self.tls_cert.clone().zip(self.tls_key.clone());
        let tls = self.tls_ca.clone().map(|ca| TlsFiles { ca, identity, server_name: None });
        let settings =
            LinkSettings { coordinators: self.coordinators.clone(), tls, token: self.token_file.clone() };
        Ok(Link::new(&settings)?)
    }
}

impl Client {
    /// A client over a link.
    #[must_use]
    pub fn new(link: Link) -> Self {
        Self { link }
    }

    /// The coordinator's blobs.
    #[must_use]
    pub fn blobs(&self) -> Arc<dyn Blobs> {
        Arc::new(RemoteBlobs::new(self.link.clone(), CancellationToken::new()))
    }

    /// Asks for something, of the coordinators in turn.
    ///
    /// # Errors
    /// What the coordinator refuses, or that none can be reached.
    pub async fn ask<T, F>(&self, request: impl Fn(Runs) -> F) -> Result<T, Problem>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let ask = |service| {
            let runs = RunServiceClient::new(service)
                .max_decoding_message_size(MOST_MESSAGE_BYTES)
                .max_encoding_message_size(MOST_MESSAGE_BYTES);
            request(runs)
        };
        let answer = self.link.ask(PATIENCE, ask).await.map_err(unreachable)?;
        Ok(answer.into_inner())
    }
}

/// What nobody answered, in words that say what to do.
fn unreachable(problem: Problem) -> Problem {
    if problem.reason != Reason::Unavailable {
        return problem;
    }
    let message = format!(
        "no coordinator can be reached; start one, or say where it is with --coordinator: {}",
        problem.message
    );
    Problem { message, ..problem }
}

/// A run by its name.
#[must_use]
pub fn named(run: &str) -> RunRequest {
    RunRequest { run: run.to_owned() }
}
