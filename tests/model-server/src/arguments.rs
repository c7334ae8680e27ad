//! The command line.

use std::net::SocketAddr;

use crate::options::Options;

/// A scripted model service. The first line of its standard output is the address that it listens on.
#[derive(Debug, clap::Parser)]
#[command(name = "palaestra-model-server")]
pub struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// What is served.
    #[command(flatten)]
    pub options: Options,
}
