//! The backend for clusters: a Redis 7 server, Streams for events, and one fenced writer.

mod connection;
mod failure;
mod keys;
mod lease;
mod options;
mod packing;
mod read;
mod scripts;
mod server;
mod store;
mod writer;

pub use options::RedisOptions;
pub use server::AppendFsync;
pub use store::RedisStore;
