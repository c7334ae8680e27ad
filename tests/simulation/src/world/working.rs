//! Worker processes and the operator: how they start, look around, hear, and end.

use palaestra_coordinator::state::Command;
use palaestra_domain::WorkerId;

use super::world::World;
use crate::mailbag::{Asker, Happening, Note};
use crate::prng::Prng;
use crate::worker::{Wish, Worker};

/// How often a worker process looks around, in milliseconds.
const LOOK_EVERY: u64 = 250;

impl World {
    /// A process, if it still lives.
    pub(super) fn process(&self, machine: usize, process: u32) -> Option<&Worker> {
        self.workers.get(&machine).filter(|worker| worker.process == process)
    }

    fn process_mut(&mut self, machine: usize, process: u32) -> Option<&mut Worker> {
        self.workers.get_mut(&machine).filter(|worker| worker.process == process)
    }

    pub(super) fn start_worker(&mut self, at: usize) -> Result<(), String> {
        let Some(machine) = self.workload.workers.get(at) else { return Ok(()) };
        self.processes = self.processes.saturating_add(1);
        let id = WorkerId::new(format!("w{at}-{}", self.processes)).map_err(|error| error.to_string())?;
        let prng = Prng::new(self.seed, u64::from(self.processes).saturating_add(100));
        let worker = Worker::new(id, self.processes, machine, self.workload.key.clone(), prng);
        self.workers.insert(at, worker);
        self.bag.at(self.now, Happening::WorkerWakes(at, self.processes));
        Ok(())
    }

    pub(super) fn note(&mut self, machine: usize, process: u32, note: Note) {
        let now = self.now;
        let Some(worker) = self.process_mut(machine, process) else { return };
        let stands_until = worker.stands_until;
        if now < stands_until {
            // The kernel keeps it until the process goes on.
            self.bag.at(stands_until, Happening::Note(machine, process, note));
        } else {
            worker.hear(note);
        }
    }

    pub(super) fn look(&mut self, machine: usize, process: u32) -> Result<(), String> {
        let now = self.now;
        let Some(worker) = self.process_mut(machine, process) else { return Ok(()) };
        let stands_until = worker.stands_until;
        let leaves = worker.draining && worker.slots.iter().all(|slot| slot.work.is_none());
        let next = now.saturating_add(LOOK_EVERY).max(stands_until);
        self.bag.at(next, Happening::WorkerWakes(machine, process));
        if now < stands_until {
            return Ok(());
        }
        if leaves {
            self.workers.remove(&machine);
            self.bag.at(now.saturating_add(5_000), Happening::WorkerStarts(machine));
            return Ok(());
        }
        let wishes = self.process_mut(machine, process).map(|worker| worker.look(now)).unwrap_or_default();
        for wish in wishes {
            match wish {
                Wish::Bill(payer, call, used) => self.check.bill(payer, call, used)?,
                Wish::Ask(slot, command) => {
                    let number = self.send(Asker::Worker(machine, process), command);
                    if let Some(worker) = self.workers.get_mut(&machine) {
                        worker.asked(slot, number, now);
                    }
                }
            }
        }
        self.shares()
    }

    /// What all processes believe to have of the limit is within it.
    fn shares(&self) -> Result<(), String> {
        let slots = self.workload.orders.iter().find_map(|order| match order.command {
            Command::DefineLimit { slots, .. } => Some(slots),
            _ => None,
        });
        let believed: u32 = self.workers.values().map(|worker| worker.believes(self.now)).sum();
        match slots {
            Some(slots) if believed > slots => {
                Err(format!("workers believe in {believed} slots of a limit of {slots}"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn operate(&mut self) {
        let calm = self.now > self.calm_at;
        for (place, command) in self.operator.look(self.now, calm) {
            let request = self.send(Asker::Operator, command);
            self.operator.asked(place, request);
        }
        self.bag.at(self.now.saturating_add(500), Happening::OperatorWakes);
    }

    /// A process dies with everything in it.
    pub(super) fn crash_worker(&mut self, machine: usize, again_at: u64) {
        if self.workers.remove(&machine).is_some() {
            self.bag.at(again_at, Happening::WorkerStarts(machine));
        }
    }
}
