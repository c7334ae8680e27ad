//! Certificates and tokens for one test, signed by an authority of its own.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// Files of an authority (`ca`), a server (`server.pem`, `server.key`), a client (`client.pem`,
/// `client.key`) and three tokens (`worker.token`, `client.token`, `metrics.token`).
pub struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// Writes them; the server goes by these names and addresses.
    pub fn write(folder: &Path, server: &[&str]) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        let this = Self { folder: folder.to_owned() };
        let put = |name: &str, text: &str| std::fs::write(this.path(name), text).unwrap();
        put("ca", &authority);
        for (who, names) in [("server", server), ("client", &["client"])] {
            let key = KeyPair::generate().unwrap();
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let params = CertificateParams::new(names).unwrap();
            put(&format!("{who}.pem"), &params.signed_by(&key, &issuer).unwrap().pem());
            put(&format!("{who}.key"), &key.serialize_pem());
        }
        for who in ["worker", "client", "metrics"] {
            put(&format!("{who}.token"), &token(who));
        }
        this
    }

    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// What makes a coordinator safe.
    pub fn of_coordinator(&self) -> Vec<String> {
        let flags = [
            ("--tls-cert", "server.pem"),
            ("--tls-key", "server.key"),
            ("--worker-token-file", "worker.token"),
            ("--client-token-file", "client.token"),
        ];
        flags.into_iter().flat_map(|(flag, file)| [flag.to_owned(), self.path(file)]).collect()
    }

    /// What lets somebody in: `worker` or `client`.
    pub fn of(&self, who: &str) -> Vec<String> {
        let token = self.path(&format!("{who}.token"));
        vec!["--tls-ca".to_owned(), self.path("ca"), "--token-file".to_owned(), token]
    }
}

/// The token of a right.
pub fn token(who: &str) -> String {
    format!("the-secret-of-every-{who}")
}
