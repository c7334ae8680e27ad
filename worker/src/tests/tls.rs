//! A link over TLS: the coordinator is verified, and gets the worker's certificate and its token.

use std::path::PathBuf;

use palaestra_proto::Reason;
use palaestra_proto::v1::HoldRequest;
use palaestra_proto::v1::worker_service_server::WorkerServiceServer;
use palaestra_runtime::tasks;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::net::TcpListener;
use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};
use tonic::{Request, Status};

use super::fake::Fake;
use super::support::LEASE;
use crate::link::worker_client;
use crate::{Link, LinkSettings, TlsFiles};

/// An authority with a certificate for the server and one for the worker, in files.
struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        write("ca", params.self_signed(&key).unwrap().pem());
        let issuer = Issuer::new(params, key);
        for name in ["localhost", "worker"] {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
            write(name, params.signed_by(&key, &issuer).unwrap().pem());
            write(&format!("{name}-key"), key.serialize_pem());
        }
        write("token", "a-token-of-this-worker\n".to_owned());
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Serves on a port of this machine, for whoever has a certificate and the token.
    async fn serve(&self) -> String {
        let tls = ServerTlsConfig::new()
            .identity(Identity::from_pem(self.text("localhost"), self.text("localhost-key")))
            .client_ca_root(Certificate::from_pem(self.text("ca")));
        let (fake, _, _) = Fake::start();
        let service = WorkerServiceServer::with_interceptor(fake, |request: Request<()>| {
            let token = request.metadata().get("authorization").map(|value| value.to_str().unwrap());
            if token == Some("Bearer a-token-of-this-worker") {
                Ok(request)
            } else {
                Err(Status::unauthenticated("no"))
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let incoming = futures::stream::unfold(listener, |listener| async move {
            let accepted = listener.accept().await.map(|(stream, _)| stream);
            Some((accepted, listener))
        });
        let server = Server::builder().tls_config(tls).unwrap().add_service(service);
        tasks::spawn("tls", server.serve_with_incoming(Box::pin(incoming)));
        address
    }

    fn link(&self, address: &str, authority: &Self, certificate: bool, token: bool) -> Link {
        let identity = certificate.then(|| (self.path("worker"), self.path("worker-key")));
        let tls = TlsFiles { ca: authority.path("ca"), identity, server_name: None };
        let token = token.then(|| self.path("token"));
        Link::new(&LinkSettings { coordinators: vec![address.to_owned()], tls: Some(tls), token }).unwrap()
    }
}

async fn ask(link: &Link) -> Result<(), Reason> {
    let asked = link.ask(LEASE, |service| async move {
        worker_client(service).lost(HoldRequest::default()).await.map(drop)
    });
    asked.await.map_err(|problem| problem.reason)
}

#[tokio::test]
async fn certificate_authority_and_token_must_all_be_right() {
    let (files, others) = (Files::new(), Files::new());
    let address = files.serve().await;
    assert_eq!(ask(&files.link(&address, &files, true, true)).await, Ok(()));
    assert_eq!(ask(&files.link(&address, &files, true, false)).await, Err(Reason::Unauthenticated));
    assert_eq!(ask(&files.link(&address, &files, false, true)).await, Err(Reason::Unavailable));
    assert_eq!(ask(&files.link(&address, &others, true, true)).await, Err(Reason::Unavailable));
}
