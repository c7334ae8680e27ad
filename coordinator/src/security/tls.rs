//! The server's certificate and key, and whose client certificates it asks for.

use std::path::Path;
use std::time::Duration;

use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};

use crate::error::Error;

/// TLS of a listener, from PEM files.
#[derive(Clone)]
pub struct Tls {
    identity: Identity,
    client_ca: Option<Certificate>,
}

impl std::fmt::Debug for Tls {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("mutual", &self.client_ca.is_some()).finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the certificate chain, its key, and, for mutual TLS, the authority that signs clients'
    /// certificates.
    ///
    /// # Errors
    /// [`Error::TlsFile`] when a file cannot be read.
    pub fn read(certificate: &Path, key: &Path, client_ca: Option<&Path>) -> Result<Self, Error> {
        let identity = Identity::from_pem(pem(certificate)?, pem(key)?);
        let client_ca = client_ca.map(pem).transpose()?.map(Certificate::from_pem);
        let tls = Self { identity, client_ca };
        // Files that hold no certificate or key are found here, before anything is opened.
        Server::builder()
            .tls_config(tls.config(Duration::from_secs(1)))
            .map_err(|source| Error::Tls { source })?;
        Ok(tls)
    }

    /// The same certificate, without asking clients for theirs: probes and scrapers have none.
    #[must_use]
    pub fn one_sided(&self) -> Self {
        Self { identity: self.identity.clone(), client_ca: None }
    }

    pub(crate) fn config(&self, handshake: Duration) -> ServerTlsConfig {
        let config = ServerTlsConfig::new().identity(self.identity.clone()).timeout(handshake);
        match &self.client_ca {
            Some(authority) => config.client_ca_root(authority.clone()),
            None => config,
        }
    }
}

fn pem(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::TlsFile { path: path.to_owned(), source })
}
