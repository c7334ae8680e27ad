//! Imports files and directories a number of times and prints the counts: what the throughput of
//! the importers is measured with (`import_all ROUNDS PATH...`; threads by `RAYON_NUM_THREADS`).
#![expect(clippy::print_stdout, reason = "an example prints")]

use palaestra_environments::recorded::{ImportOptions, Input, import_each};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().unwrap_or_else(|| "1".to_owned()).parse()?;
    let inputs: Vec<Input> = arguments.map(Input::new).collect();
    for _ in 0..rounds {
        let imported = import_each(&inputs, &ImportOptions::default(), |trajectory| trajectory.events.len())?;
        let events: usize = imported.trajectories.iter().sum();
        println!(
            "{} trajectories, {events} events, {} refused",
            imported.trajectories.len(),
            imported.refused.len()
        );
    }
    Ok(())
}
