//! Who gets in, and where nobody may listen.

use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::*;
use crate::error::Error;

fn headers(value: &str) -> HeaderMap {
    HeaderMap::from_iter([(AUTHORIZATION, value.parse().unwrap())])
}

fn tokens(rights: &[(Right, &str)]) -> (tempfile::TempDir, Result<Tokens, Error>) {
    let folder = tempfile::tempdir().unwrap();
    let file = |(right, text): &(Right, &str)| {
        let path = folder.path().join(right.to_string());
        std::fs::write(&path, text).unwrap();
        (*right, path)
    };
    let files: Vec<_> = rights.iter().map(file).collect();
    let read = Tokens::read(&files);
    (folder, read)
}

#[test]
fn a_token_gives_its_own_right_and_no_other() {
    let (_folder, read) =
        tokens(&[(Right::Worker, "  worker-token-0123456\n"), (Right::Client, "client-token-0123456")]);
    let tokens = read.unwrap();
    assert_eq!(tokens.rights(&headers("Bearer worker-token-0123456")), Right::Worker.into());
    assert_eq!(tokens.rights(&headers("bearer client-token-0123456")), Right::Client.into());
    for wrong in
        ["Bearer worker-token-012345", "Bearer worker-token-01234567", "Basic worker-token-0123456", "Bearer"]
    {
        assert_eq!(tokens.rights(&headers(wrong)), Rights::NONE, "{wrong}");
    }
    assert_eq!(tokens.rights(&HeaderMap::new()), Rights::NONE);
    assert_eq!(Tokens::default().rights(&HeaderMap::new()), Rights::all(), "nothing is configured");
}

#[test]
fn one_secret_for_two_rights_gives_both() {
    let (_folder, read) =
        tokens(&[(Right::Worker, "the-same-token-here"), (Right::Client, "the-same-token-here")]);
    let rights = read.unwrap().rights(&headers("Bearer the-same-token-here"));
    assert!(rights.any_of(Right::Worker.into()) && rights.any_of(Right::Client.into()));
    assert!(!rights.any_of(Right::Metrics.into()));
}

#[test]
fn what_is_no_token_is_refused_and_not_shown() {
    for bad in ["short", "", "with blanks in the middle", "unprintable-\u{7}-0123456789"] {
        let (_folder, read) = tokens(&[(Right::Worker, bad)]);
        let message = read.unwrap_err().to_string();
        assert!(message.contains("16 random characters"), "{message}");
        assert!(bad.is_empty() || !message.contains(bad), "the secret is shown: {message}");
    }
    let missing = Tokens::read(&[(Right::Worker, "no/such/file".into())]);
    assert!(matches!(missing, Err(Error::TokenFile { .. })));
}

#[test]
fn only_loopback_needs_no_protection() {
    let open = Security::default();
    for loopback in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        open.check(loopback.parse().unwrap()).unwrap();
        open.check_http(loopback.parse().unwrap()).unwrap();
    }
    let address = "0.0.0.0:7700".parse().unwrap();
    let message = open.check(address).unwrap_err().to_string();
    for flag in ["--tls-cert", "--tls-key", "--worker-token-file", "--client-token-file", "0.0.0.0:7700"] {
        assert!(message.contains(flag), "{flag} is not in: {message}");
    }
    let (_folder, read) =
        tokens(&[(Right::Worker, "worker-token-0123456"), (Right::Client, "client-token-0123456")]);
    let tokens = Security { tokens: read.unwrap(), tls: None };
    let message = tokens.check(address).unwrap_err().to_string();
    assert!(message.contains("--tls-key") && !message.contains("token"), "{message}");
    assert!(tokens.check_http(address).unwrap_err().to_string().contains("--metrics-token-file"));
}

#[test]
fn with_tls_and_tokens_every_address_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (pem, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&pem, own.cert.pem()).unwrap();
    std::fs::write(&key, own.signing_key.serialize_pem()).unwrap();
    let tls = Tls::read(&pem, &key, None).unwrap();
    assert!(!format!("{tls:?}").contains("BEGIN"), "a key must not be printed");
    assert!(matches!(Tls::read(&pem, &pem, None), Err(Error::Tls { .. })), "a certificate is no key");
    let (_folder, read) =
        tokens(&[(Right::Worker, "worker-token-0123456"), (Right::Client, "client-token-0123456")]);
    let security = Security { tokens: read.unwrap(), tls: Some(tls) };
    security.check("0.0.0.0:7700".parse().unwrap()).unwrap();
    assert!(security.check_http("0.0.0.0:7700".parse().unwrap()).is_err(), "no token for metrics");
    assert!(matches!(Tls::read(&folder.path().join("none"), &pem, None), Err(Error::TlsFile { .. })));
}
