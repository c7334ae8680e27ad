//! How each fault begins and ends.

use super::world::World;
use crate::faults::{Fault, Planned};
use crate::network::Way;
use crate::store::Trouble;

impl World {
    pub(super) fn begin(&mut self, place: usize) {
        let Some(Planned { lasts, fault, .. }) = self.faults.get(place).copied() else { return };
        let until = self.now.saturating_add(lasts);
        match fault {
            Fault::Loss(percent) => self.network.loss = percent,
            Fault::Duplication(percent) => self.network.duplication = percent,
            Fault::Delay(most) => self.network.delay = most,
            Fault::CutUp(worker) => self.network.cut.push(Way::Up(Some(worker))),
            Fault::CutDown(worker) => self.network.cut.push(Way::Down(Some(worker))),
            Fault::PauseWorker(machine) => {
                if let Some(worker) = self.workers.get_mut(&machine) {
                    worker.stands_until = worker.stands_until.max(until);
                }
            }
            Fault::CrashWorker(machine) => self.crash_worker(machine, until),
            Fault::DrainWorker(machine) => {
                if let Some(worker) = self.workers.get_mut(&machine) {
                    worker.draining = true;
                }
            }
            Fault::HangSlot(machine, slot) => {
                let slot = self.workers.get_mut(&machine).and_then(|worker| worker.slots.get_mut(slot));
                if let Some(slot) = slot {
                    slot.will_hang = Some(lasts);
                }
            }
            Fault::RestartCuration => self.replace_curators(),
            Fault::CrashLeader => self.crash_leader(lasts),
            Fault::ZombieLeader => self.pause_leader(place),
            Fault::AppendRefused => self.fail_append(Trouble::Refused, lasts),
            Fault::AppendUnanswered => self.fail_append(Trouble::Unanswered, lasts),
            Fault::TornSnapshot => self.disk.tear_next_blob(),
        }
    }

    pub(super) fn end(&mut self, place: usize) {
        let Some(Planned { fault, .. }) = self.faults.get(place).copied() else { return };
        match fault {
            Fault::Loss(_) => self.network.loss = 0,
            Fault::Duplication(_) => self.network.duplication = 0,
            Fault::Delay(_) => self.network.delay = 0,
            Fault::CutUp(worker) => self.network.mend(Way::Up(Some(worker))),
            Fault::CutDown(worker) => self.network.mend(Way::Down(Some(worker))),
            Fault::ZombieLeader => self.wake_leader(place),
            _ => {}
        }
    }

    /// The next append goes wrong, and the leader is gone for a while then.
    fn fail_append(&mut self, trouble: Trouble, gone_for: u64) {
        self.gone_for = gone_for;
        self.disk.trouble(trouble);
    }
}
