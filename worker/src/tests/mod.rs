//! The worker against a coordinator that misbehaves on command, over a connection in memory and in
//! time that moves by itself when everybody waits.

mod accounts;
mod blobs;
mod drains;
mod fake;
mod outages;
mod streams;
mod support;
mod tls;
mod units;
