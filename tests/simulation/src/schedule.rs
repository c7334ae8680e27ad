//! One schedule: a seed, the faults that are left of it, and perhaps a deliberate defect.

use crate::faults::{self, Planned};
use crate::mutation::Mutation;
use crate::report::{Failure, Report};
use crate::workload;
use crate::world::World;

/// Everything that a run of the simulation depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Decides everything that is not said here.
    pub seed: u64,
    /// What goes wrong.
    pub faults: Vec<Planned>,
    /// A defect that the checker has to find.
    pub mutation: Option<Mutation>,
}

impl Schedule {
    /// The schedule of a seed.
    ///
    /// # Errors
    /// When the workload has a name that the domain refuses, which is a defect of the simulation.
    pub fn of(seed: u64, mutation: Option<Mutation>) -> anyhow::Result<Self> {
        let faults = faults::draw(seed, &workload::draw(seed)?);
        Ok(Self { seed, faults, mutation })
    }

    /// Runs it to its end, checking every promise after every step.
    ///
    /// # Errors
    /// The first promise that was broken.
    pub fn run(&self) -> Result<Report, Failure> {
        let failure = |at, broken| Failure { seed: self.seed, faults: self.faults.clone(), at, broken };
        let mut world = World::new(self).map_err(|broken| failure(0, broken))?;
        world.run().map_err(|broken| failure(world.now(), broken))
    }
}
