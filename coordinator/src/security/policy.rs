//! What a listener must have before it may listen on an address.

use std::net::SocketAddr;

use super::rights::Right;
use super::tls::Tls;
use super::tokens::Tokens;
use crate::error::Error;

/// How a listener is protected. The default is not at all, which is for loopback only.
#[derive(Debug, Clone, Default)]
pub struct Security {
    /// Who may do what. None: everybody may do everything.
    pub tokens: Tokens,
    /// Encryption. None: plain text.
    pub tls: Option<Tls>,
}

impl Security {
    /// Whether the services may listen on an address: on loopback always, elsewhere only with TLS and
    /// with tokens for workers and clients.
    ///
    /// # Errors
    /// [`Error::Insecure`] with the flags that are missing.
    pub fn check(&self, address: SocketAddr) -> Result<(), Error> {
        self.require(
            address,
            &[(Right::Worker, "--worker-token-file"), (Right::Client, "--client-token-file")],
        )
    }

    /// Whether metrics and health may listen on an address: on loopback always, elsewhere only with
    /// TLS and a token for metrics.
    ///
    /// # Errors
    /// [`Error::Insecure`] with the flags that are missing.
    pub fn check_http(&self, address: SocketAddr) -> Result<(), Error> {
        self.require(address, &[(Right::Metrics, "--metrics-token-file")])
    }

    fn require(&self, address: SocketAddr, tokens: &[(Right, &'static str)]) -> Result<(), Error> {
        if address.ip().to_canonical().is_loopback() {
            return Ok(());
        }
        let tls: &[&str] = if self.tls.is_none() { &["--tls-cert", "--tls-key"] } else { &[] };
        let missing = tokens.iter().filter(|(right, _)| !self.tokens.give(*right)).map(|(_, flag)| *flag);
        let missing: Vec<&str> = tls.iter().copied().chain(missing).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Error::Insecure { address, missing: missing.join(", ") })
    }
}
