//! A way to the server that can lose an answer after the server has acted on the question.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use palaestra_domain::Digest;
use palaestra_store::{Blobs, CallKey, RedisStore, Store};

use super::server::{Server, options, stream};

struct Proxy {
    port: u16,
    lose_next: Arc<AtomicBool>,
}

impl Proxy {
    fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let lose_next = Arc::new(AtomicBool::new(false));
        let lose = Arc::clone(&lose_next);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || pass(from, to, &AtomicBool::new(false)));
                let lose = Arc::clone(&lose);
                thread::spawn(move || pass(server, client, &lose));
            }
        });
        Self { port, lose_next }
    }

    fn lose_next_answer(&self) {
        self.lose_next.store(true, Ordering::SeqCst);
    }

    fn has_lost(&self) -> bool {
        !self.lose_next.load(Ordering::SeqCst)
    }
}

/// Passes bytes on until one side closes, or until there is something to lose.
fn pass(mut from: TcpStream, mut to: TcpStream, lose: &AtomicBool) {
    let mut bytes = [0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if lose.swap(false, Ordering::SeqCst) || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _closed = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

#[tokio::test]
async fn a_write_whose_answer_got_lost_is_repeated_and_happens_once() {
    let Some(server) = Server::start() else { return };
    let proxy = Proxy::start(server.port);
    let url = format!("redis://127.0.0.1:{}", proxy.port);
    let store = RedisStore::open(&url, &options("lab", "node-a")).await.unwrap();
    let (log, key) = (stream("log"), CallKey { scope: "unit".to_owned(), ordinal: 0 });
    let request = Digest::of(b"request");
    // The server learns each script at its first use, and that is not the answer to lose.
    store.append(&log, 0, vec![b"a".to_vec()]).await.unwrap();
    store.journal_intend(&key, Digest::of(b"another request")).await.unwrap();
    store.blob_put(b"a blob").await.unwrap();

    proxy.lose_next_answer();
    assert_eq!(store.append(&log, 1, vec![b"b".to_vec(), b"c".to_vec()]).await.unwrap(), 3);
    assert!(proxy.has_lost());
    let texts: Vec<Vec<u8>> = store.read(&log, 0).await.unwrap().into_iter().map(|e| e.bytes).collect();
    assert_eq!(texts, [b"a", b"b", b"c"]);

    proxy.lose_next_answer();
    store.journal_intend(&key, request).await.unwrap();
    assert!(proxy.has_lost());
    proxy.lose_next_answer();
    store.journal_answer(&key, request, b"answer".to_vec()).await.unwrap();
    assert!(proxy.has_lost());
    let entry = store.journal_get(&key).await.unwrap().remove(1);
    assert_eq!((entry.attempts, entry.answer.as_deref()), (1, Some(b"answer".as_slice())));

    proxy.lose_next_answer();
    let digest = store.blob_put(b"another blob").await.unwrap();
    assert!(proxy.has_lost());
    assert_eq!(store.blob_get(digest).await.unwrap(), b"another blob");
}
