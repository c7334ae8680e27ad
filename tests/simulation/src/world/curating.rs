//! Curators: how they start beside their leader, look around, are replaced, and end with it.

use palaestra_coordinator::state::{Command, RunPhase};
use palaestra_domain::RunName;

use super::world::World;
use crate::call::Deed;
use crate::curator::Curator;
use crate::mailbag::{Asker, Happening};
use crate::prng::Prng;

/// How often a curator looks around, in milliseconds.
const LOOK_EVERY: u64 = 250;

/// How long a curator waits at most before it begins, in milliseconds.
pub(super) const FIRST_WAIT: u64 = 40_000;

impl World {
    /// A leader starts: so do the curators of its runs.
    pub(super) fn start_curators(&mut self, leader: u64) {
        let Some(state) = self.leaders.get(&leader).map(crate::leader::Leader::state) else { return };
        let open = state
            .runs()
            .iter()
            .filter(|(_, run)| run.phase() != RunPhase::Cancelled && run.frozen().is_none());
        let open: Vec<RunName> = open.map(|(name, _)| name.clone()).collect();
        open.into_iter().for_each(|run| self.start_curator(leader, run, FIRST_WAIT));
    }

    pub(super) fn start_curator(&mut self, leader: u64, run: RunName, most: u64) {
        self.last_curator = self.last_curator.saturating_add(1);
        let prng = Prng::new(self.seed, self.last_curator.saturating_add(1_000_000));
        self.curators.insert(self.last_curator, Curator::new(leader, run, self.now, most, prng));
        self.bag.at(self.now, Happening::CuratorWakes(self.last_curator));
    }

    /// Other curators take over in the process that leads. The old ones do not notice: what they
    /// have begun goes on.
    pub(super) fn replace_curators(&mut self) {
        let Some(active) = self.active else { return };
        let mut runs = Vec::new();
        for curator in self.curators.values_mut() {
            if curator.leader == active && !curator.replaced && !curator.is_done() {
                curator.replaced = true;
                runs.push(curator.run.clone());
            }
        }
        runs.into_iter().for_each(|run| self.start_curator(active, run, 500));
    }

    pub(super) fn curate(&mut self, number: u64) -> Result<(), String> {
        let Some(curator) = self.curators.get_mut(&number) else { return Ok(()) };
        let leader = self.leaders.get(&curator.leader);
        let Some(leader) = leader.filter(|_| !curator.is_done()) else {
            self.curators.remove(&number);
            return Ok(());
        };
        self.bag.at(self.now.saturating_add(LOOK_EVERY), Happening::CuratorWakes(number));
        if leader.stands {
            return Ok(());
        }
        match curator.look(self.now) {
            None => Ok(()),
            Some(Deed::Bill(payer, call, used)) => self.check.bill(payer, call, used),
            Some(Deed::Ask(command)) => {
                let leader = curator.leader;
                let request = self.ask_inside(leader, Asker::Curator(number), command);
                if let Some(curator) = self.curators.get_mut(&number) {
                    curator.asked(request);
                }
                Ok(())
            }
        }
    }

    /// Within a process nothing is lost on the way.
    fn ask_inside(&mut self, leader: u64, asker: Asker, command: Command) -> u64 {
        let request = self.bag.request(asker, command);
        let number = request.number;
        self.commands.insert(number, request.command.clone());
        self.bag.at(self.now, Happening::Request(leader, request));
        number
    }
}
