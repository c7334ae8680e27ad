//! Serves until it is told to stop.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people and scripts")]

use std::process::ExitCode;

use clap::Parser as _;
use palaestra_model_server::{Arguments, Server};
use palaestra_runtime::shutdown;

#[tokio::main]
async fn main() -> ExitCode {
    match serve(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let stop = shutdown::install()?;
    let server = Server::start(arguments.options, arguments.listen).await?;
    println!("{}", server.address());
    stop.cancelled().await;
    server.stop().await;
    Ok(())
}
