//! Import, normalization and contrast packets over recorded trajectories, in memory and without a
//! store: what `scripts/bench-pipeline` measures.
//!
//! `pipeline [--threads N] [--rounds N] [--digest] PATH...` prints one line of JSON: what was read
//! and, with `--digest`, a hash of every packet and all evidence, so that two versions of the
//! program can be compared.
#![expect(clippy::print_stdout, reason = "an example prints")]

use palaestra_domain::{Ability, Digest, Trajectory};
use palaestra_environments::recorded::{ImportOptions, Imported, Input, import};
use palaestra_methods::contramem::curriculum::ability_of;
use palaestra_methods::contramem::function_observation::Observations;
use palaestra_methods::contramem::stored_packet::{StoredPacket, contrast};
use palaestra_runtime::{Clock as _, SystemClock};
use rayon::prelude::*;

/// As in the `palaestra` command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Whatever goes wrong, from any thread.
type Error = Box<dyn std::error::Error + Send + Sync>;

/// What the command line says.
struct Request {
    threads: usize,
    rounds: usize,
    digest: bool,
    inputs: Vec<Input>,
}

impl Request {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Error> {
        let mut request = Self { threads: 1, rounds: 1, digest: false, inputs: Vec::new() };
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().ok_or_else(|| format!("{argument} needs a number"));
            match argument.as_str() {
                "--threads" => request.threads = number()?.parse()?,
                "--rounds" => request.rounds = number()?.parse()?,
                "--digest" => request.digest = true,
                path => request.inputs.push(Input::new(path)),
            }
        }
        Ok(request)
    }
}

fn main() -> Result<(), Error> {
    let request = Request::read(std::env::args().skip(1))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.threads).build()?;
    for _ in 0..request.rounds {
        pool.install(|| round(&request))?;
    }
    Ok(())
}

fn round(request: &Request) -> Result<(), Error> {
    let clock = SystemClock;
    let start = clock.monotonic();
    let imported = import(&request.inputs, &ImportOptions::default())?;
    let read = clock.monotonic();
    let (packets, observations) = contrast_all(&imported);
    let built = clock.monotonic();
    let events: usize = imported.trajectories.iter().map(|trajectory| trajectory.events.len()).sum();
    let functions = observations.functions().len();
    let digest = if request.digest {
        Some(Digest::of_value("packets and evidence", &(&packets, observations.evidence()))?)
    } else {
        None
    };
    let line = serde_json::json!({
        "trajectories": imported.trajectories.len(),
        "refused": imported.refused.len(),
        "events": events,
        "packets": packets.len(),
        "functions": functions,
        "import_ms": read.duration_since(start).as_secs_f64() * 1e3,
        "packets_ms": built.duration_since(read).as_secs_f64() * 1e3,
        "digest": digest,
    });
    println!("{line}");
    Ok(())
}

/// Every task's packet, and the observations of all functions.
fn contrast_all(imported: &Imported) -> (Vec<StoredPacket>, Observations) {
    let tasks: Vec<&[Trajectory]> = imported.trajectories.chunk_by(|a, b| a.task.id == b.task.id).collect();
    let built: Vec<(StoredPacket, Observations)> = tasks
        .par_iter()
        .filter_map(|attempts| {
            let ability =
                attempts.first().map_or_else(Ability::global, |first| ability_of(&first.task, None));
            contrast(attempts, &ability)
        })
        .collect();
    let (packets, seen): (Vec<_>, Vec<_>) = built.into_iter().unzip();
    (packets, seen.into_iter().fold(Observations::default(), Observations::merge))
}
