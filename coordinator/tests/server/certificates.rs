//! Certificates for one test, signed by an authority of its own.

use std::path::PathBuf;

use palaestra_coordinator::Tls;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// An authority, a server's certificate for `localhost` and a client's.
pub(crate) struct Certificates {
    folder: tempfile::TempDir,
    authority: String,
    client: (String, String),
}

impl Certificates {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        let signed = |name: &str| {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
            (params.signed_by(&key, &issuer).unwrap().pem(), key.serialize_pem())
        };
        let (certificate, key) = signed("localhost");
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("cert", &certificate), ("key", &key), ("ca", &authority)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self { folder, authority, client: signed("worker") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The server's side.
    pub(crate) fn server(&self, mutual: bool) -> Tls {
        let authority = self.path("ca");
        Tls::read(&self.path("cert"), &self.path("key"), mutual.then_some(authority.as_path())).unwrap()
    }

    /// A client that trusts the authority.
    pub(crate) fn client(&self) -> ClientTlsConfig {
        ClientTlsConfig::new().ca_certificate(self.authority()).domain_name("localhost")
    }

    /// The authority's own certificate.
    pub(crate) fn authority(&self) -> Certificate {
        Certificate::from_pem(&self.authority)
    }

    /// A client that has a certificate of the authority too.
    pub(crate) fn client_with_certificate(&self) -> ClientTlsConfig {
        let (certificate, key) = &self.client;
        self.client().identity(Identity::from_pem(certificate, key))
    }
}
