//! Settings that would not work, or not be safe, are refused before anything is opened.

use std::path::PathBuf;

use super::{Link, LinkSettings, TlsFiles};
use crate::error::Error;

fn settings(address: &str) -> LinkSettings {
    LinkSettings { coordinators: vec![address.to_owned()], ..LinkSettings::default() }
}

fn token(text: &str) -> (tempfile::TempDir, Option<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, text).unwrap();
    (folder, Some(path))
}

#[tokio::test]
async fn an_address_is_needed_and_checked() {
    assert!(matches!(Link::new(&LinkSettings::default()), Err(Error::NoAddress)));
    assert!(matches!(Link::new(&settings("not an address")), Err(Error::Address { .. })));
    assert!(Link::new(&settings("http://127.0.0.1:7400")).is_ok());
}

#[tokio::test]
async fn tls_files_and_scheme_belong_together() {
    assert!(matches!(Link::new(&settings("https://127.0.0.1:7400")), Err(Error::Scheme { .. })));
    let ca = PathBuf::from("/no/such/file");
    let tls = Some(TlsFiles { ca, identity: None, server_name: None });
    let refused = Link::new(&LinkSettings { tls, ..settings("https://127.0.0.1:7400") });
    assert!(matches!(refused, Err(Error::File { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_token_is_sent_in_the_clear_on_this_machine_only() {
    let (_folder, token) = token("a-secret-of-many-letters\n");
    for here in ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"] {
        let link = Link::new(&LinkSettings { token: token.clone(), ..settings(here) }).unwrap();
        assert!(!format!("{link:?}").contains("secret"));
    }
    for elsewhere in ["http://10.0.0.1:1", "http://coordinator:1"] {
        let refused = Link::new(&LinkSettings { token: token.clone(), ..settings(elsewhere) });
        assert!(matches!(refused, Err(Error::TokenInTheClear { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn a_token_file_without_a_usable_token_is_refused() {
    for bad in ["", " \n", "two\nlines", "ü"] {
        let (_folder, token) = token(bad);
        let refused = Link::new(&LinkSettings { token, ..settings("http://127.0.0.1:1") });
        assert!(matches!(refused, Err(Error::Token { .. })), "{bad:?}: {refused:?}");
    }
}

#[tokio::test]
async fn a_peer_is_left_once_however_many_calls_failed_on_it() {
    let mut settings = settings("http://127.0.0.1:1");
    settings.coordinators.push("http://127.0.0.1:2".to_owned());
    let link = Link::new(&settings).unwrap();
    let (first, _) = link.peer();
    link.leave(first);
    link.leave(first);
    let (second, _) = link.peer();
    assert_eq!(second, first + 1);
}
