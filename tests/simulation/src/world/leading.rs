//! Leaders: how they start, handle what arrives, stand still, and end.

use std::cmp::Ordering;

use palaestra_coordinator::state::Command;
use palaestra_coordinator::{Effect, News, Request};

use super::curating::FIRST_WAIT;
use super::world::World;
use crate::leader::{End, Leader};
use crate::mailbag::{Asker, Happening, Note};
use crate::mutation::Mutation;
use crate::store::Trouble;

/// How often a leader's clock ticks, in milliseconds.
const TICK_EVERY: u64 = 1_000;

/// How long after its last sign of life a leader is replaced, in milliseconds.
const FAIL_OVER: u64 = 3_000;

impl World {
    pub(super) fn start_leader(&mut self, number: u64) -> Result<(), String> {
        match Leader::start(&self.disk, &self.log, self.mutation) {
            Ok(leader) => {
                self.check.read(&self.disk)?;
                self.check.compare(leader.state())?;
                self.leaders.insert(number, leader);
                self.active = Some(number);
                self.check.coverage.reopened = self.check.coverage.reopened.saturating_add(1);
                self.bag.at(self.now, Happening::LeaderTicks(number));
                self.start_curators(number);
                Ok(())
            }
            Err(end) => self.leader_gone(number, end),
        }
    }

    pub(super) fn arrive(&mut self, number: u64, request: Request) {
        let now = self.now;
        let Some(leader) = self.leaders.get_mut(&number) else { return };
        leader.inbox.push(request);
        if !leader.stands && !std::mem::replace(&mut leader.wakes, true) {
            // What arrives meanwhile shares the append.
            self.bag.at(now.saturating_add(3), Happening::LeaderWakes(number));
        }
    }

    pub(super) fn tick(&mut self, number: u64) -> Result<(), String> {
        let tick = self.bag.request(Asker::Clock, Command::Tick);
        let Some(leader) = self.leaders.get_mut(&number) else { return Ok(()) };
        self.bag.at(self.now.saturating_add(TICK_EVERY), Happening::LeaderTicks(number));
        if leader.stands {
            return Ok(());
        }
        leader.ticks = leader.ticks.saturating_add(1);
        if self.mutation == Some(Mutation::LoseAppends) && leader.ticks.is_multiple_of(7) {
            self.disk.trouble(Trouble::Lost);
        }
        let snapshot = leader.ticks.is_multiple_of(20).then(|| leader.snapshot());
        if let Some(Err(end)) = snapshot {
            return self.leader_gone(number, end);
        }
        self.arrive(number, tick);
        Ok(())
    }

    pub(super) fn step(&mut self, number: u64) -> Result<(), String> {
        let Some(leader) = self.leaders.get_mut(&number) else { return Ok(()) };
        leader.wakes = false;
        if leader.stands {
            return Ok(());
        }
        let stepped = leader.step(self.now);
        self.check.read(&self.disk)?;
        let effects = match stepped {
            Ok(effects) => effects,
            Err(end) => return self.leader_gone(number, end),
        };
        self.compare(number)?;
        effects.into_iter().try_for_each(|effect| self.perform(number, effect))
    }

    /// Compares a leader's state with the log. One that is behind has been replaced already, and its
    /// next append will be refused; one that is ahead remembers what never was.
    fn compare(&self, number: u64) -> Result<(), String> {
        let Some(leader) = self.leaders.get(&number) else { return Ok(()) };
        match leader.position().cmp(&self.check.position()) {
            Ordering::Less => Ok(()),
            Ordering::Equal => self.check.compare(leader.state()),
            Ordering::Greater => Err("a leader remembers events that are not on the disk".to_owned()),
        }
    }

    fn perform(&mut self, leader: u64, effect: Effect) -> Result<(), String> {
        match effect {
            Effect::Answer { request, answer } => {
                let asker = self.bag.asker(request);
                if let Some(command) = self.commands.get(&request)
                    && let Some(leader) = self.leaders.get(&leader)
                {
                    let id = match asker {
                        Asker::Worker(machine, process) => self.process(machine, process),
                        Asker::Operator | Asker::Curator(_) | Asker::Clock => None,
                    };
                    let id = id.map(|worker| worker.id.clone());
                    self.check.meet(leader.state(), id.as_ref(), command, &answer)?;
                }
                match asker {
                    Asker::Clock => {}
                    Asker::Curator(number) => {
                        let now = self.now;
                        if let Some(curator) = self.curators.get_mut(&number) {
                            curator.hear(request, &answer, now);
                        }
                    }
                    asker @ Asker::Operator => {
                        self.send_back(asker, &Happening::OperatorNote(request, answer));
                    }
                    asker @ Asker::Worker(machine, process) => {
                        let note = Note::Answer(request, answer);
                        self.send_back(asker, &Happening::Note(machine, process, note));
                    }
                }
            }
            Effect::News(News::Submitted { run }) => self.start_curator(leader, run, FIRST_WAIT),
            Effect::News(News::Revoked { worker, lease }) => {
                let live = self.workers.iter().find(|(_, live)| live.id == worker);
                if let Some((machine, process)) = live.map(|(machine, live)| (*machine, live.process)) {
                    let note = Happening::Note(machine, process, Note::Revoke(lease));
                    self.send_back(Asker::Worker(machine, process), &note);
                }
            }
            // The leader's own curators have heard it already.
            Effect::News(_) | Effect::Available => {}
        }
        Ok(())
    }

    /// A leader ends; if nobody else leads, another one starts.
    pub(super) fn leader_gone(&mut self, number: u64, end: End) -> Result<(), String> {
        let coverage = &mut self.check.coverage;
        let pause = match end {
            End::Broken(how) => return Err(how),
            End::Deposed => {
                coverage.deposed = coverage.deposed.saturating_add(1);
                50
            }
            End::Failed => {
                coverage.failed_appends = coverage.failed_appends.saturating_add(1);
                self.gone_for.max(50)
            }
        };
        self.leaders.remove(&number);
        if self.active.is_none_or(|active| active == number) {
            self.next_leader(pause);
        }
        Ok(())
    }

    /// Another leader starts after a while.
    pub(super) fn next_leader(&mut self, pause: u64) {
        self.active = None;
        self.last_leader = self.last_leader.saturating_add(1);
        self.bag.at(self.now.saturating_add(pause), Happening::LeaderStarts(self.last_leader));
    }

    /// The leader dies.
    pub(super) fn crash_leader(&mut self, gone_for: u64) {
        if let Some(active) = self.active {
            self.leaders.remove(&active);
            self.next_leader(gone_for);
        }
    }

    /// The leader stands still. It is sent messages until another one has started.
    pub(super) fn pause_leader(&mut self, fault: usize) {
        let Some(active) = self.active else { return };
        let Some(leader) = self.leaders.get_mut(&active).filter(|leader| !leader.stands) else { return };
        leader.stands = true;
        self.zombies.insert(fault, active);
        self.last_leader = self.last_leader.saturating_add(1);
        self.bag.at(self.now.saturating_add(FAIL_OVER), Happening::LeaderStarts(self.last_leader));
    }

    /// The leader goes on with what has arrived, whoever leads by now.
    pub(super) fn wake_leader(&mut self, fault: usize) {
        let Some(number) = self.zombies.remove(&fault) else { return };
        if let Some(leader) = self.leaders.get_mut(&number) {
            leader.stands = false;
            leader.wakes = true;
            self.bag.at(self.now, Happening::LeaderWakes(number));
        }
    }
}
