//! Where coordinators are and how they are spoken to. Files are read once, when a link is made.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

use crate::error::Error;

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(5);

/// How often the other end must show that it is there, and how long it may take: a peer that is cut
/// off is noticed within the sum.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(5));

/// Where coordinators are, and how they are spoken to.
#[derive(Debug, Clone, Default)]
pub struct LinkSettings {
    /// `http://host:port` or `https://host:port`: the leader and its standbys, in any order.
    pub coordinators: Vec<String>,
    /// For `https`.
    pub tls: Option<TlsFiles>,
    /// The file that holds the token, when the coordinator asks for one.
    pub token: Option<PathBuf>,
}

/// PEM files for TLS.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The authority that signed the coordinators' certificates.
    pub ca: PathBuf,
    /// Our certificate and its key, where the coordinator asks for one.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// The name in the coordinators' certificates, where it is not the address's.
    pub server_name: Option<String>,
}

impl LinkSettings {
    /// One lazily opened connection for each address.
    pub(super) fn channels(&self) -> Result<Vec<Channel>, Error> {
        let tls = self.tls.as_ref().map(TlsFiles::read).transpose()?;
        self.coordinators.iter().map(|address| self.channel(address, tls.clone())).collect()
    }

    fn channel(&self, address: &str, tls: Option<ClientTlsConfig>) -> Result<Channel, Error> {
        let refuse = |source| Error::Address { address: address.to_owned(), source };
        let endpoint = Endpoint::from_shared(address.to_owned()).map_err(refuse)?;
        let secure = endpoint.uri().scheme_str() == Some("https");
        if secure != tls.is_some() {
            return Err(Error::Scheme { address: address.to_owned() });
        }
        if self.token.is_some() && !secure && !is_this_machine(endpoint.uri().host()) {
            return Err(Error::TokenInTheClear { address: address.to_owned() });
        }
        let endpoint = endpoint
            .connect_timeout(CONNECT)
            .http2_keep_alive_interval(KEEP_ALIVE.0)
            .keep_alive_timeout(KEEP_ALIVE.1)
            .keep_alive_while_idle(true);
        let endpoint = match tls {
            Some(tls) => endpoint.tls_config(tls).map_err(refuse)?,
            None => endpoint,
        };
        Ok(endpoint.connect_lazy())
    }

    /// The header that carries the token.
    pub(super) fn bearer(&self) -> Result<Option<MetadataValue<Ascii>>, Error> {
        let Some(path) = &self.token else { return Ok(None) };
        let text = read("the token", path)?;
        let token = text.trim();
        let unusable = || Error::Token { path: path.clone() };
        if token.is_empty() || !token.chars().all(|c| c.is_ascii_graphic()) {
            return Err(unusable());
        }
        let mut value = MetadataValue::try_from(format!("Bearer {token}")).map_err(|_| unusable())?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

impl TlsFiles {
    fn read(&self) -> Result<ClientTlsConfig, Error> {
        let ca = Certificate::from_pem(read("the CA's certificate", &self.ca)?);
        let mut tls = ClientTlsConfig::new().ca_certificate(ca);
        if let Some((certificate, key)) = &self.identity {
            let certificate = read("the worker's certificate", certificate)?;
            tls = tls.identity(Identity::from_pem(certificate, read("the certificate's key", key)?));
        }
        if let Some(name) = &self.server_name {
            tls = tls.domain_name(name);
        }
        Ok(tls)
    }
}

fn read(what: &'static str, path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::File { what, path: path.to_owned(), source })
}

fn is_this_machine(host: Option<&str>) -> bool {
    let host = host.unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
