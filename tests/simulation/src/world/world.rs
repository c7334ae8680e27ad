//! The discrete-event loop: takes the next happening, lets it happen, checks every promise.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_coordinator::Record;
use palaestra_coordinator::state::{Command, State, apply};
use palaestra_store::StreamName;

use crate::check::Checker;
use crate::curator::Curator;
use crate::faults::Planned;
use crate::leader::Leader;
use crate::mailbag::{Asker, Happening, Mailbag};
use crate::mutation::Mutation;
use crate::network::{Network, Way};
use crate::operator::Operator;
use crate::report::Report;
use crate::schedule::Schedule;
use crate::store::Disk;
use crate::worker::Worker;
use crate::workload::{self, Workload};

/// How long after the last fault everything must be finished, in milliseconds.
const PATIENCE: u64 = 3_600_000;

/// Everything that there is.
pub struct World {
    pub(super) now: u64,
    pub(super) faults: Vec<Planned>,
    /// When the last fault is over.
    pub(super) calm_at: u64,
    pub(super) bag: Mailbag,
    pub(super) network: Network,
    pub(super) disk: Arc<Disk>,
    pub(super) log: StreamName,
    pub(super) mutation: Option<Mutation>,
    pub(super) leaders: BTreeMap<u64, Leader>,
    /// Whom messages are sent to.
    pub(super) active: Option<u64>,
    pub(super) last_leader: u64,
    pub(super) workload: Workload,
    pub(super) seed: u64,
    pub(super) processes: u32,
    /// By machine.
    pub(super) workers: BTreeMap<usize, Worker>,
    /// By number.
    pub(super) curators: BTreeMap<u64, Curator>,
    pub(super) last_curator: u64,
    pub(super) operator: Operator,
    pub(super) check: Checker,
    /// How long the leader is gone after the append that is about to fail.
    pub(super) gone_for: u64,
    /// Which leader each fault made stand still.
    pub(super) zombies: BTreeMap<usize, u64>,
    /// The commands that are under way, for the checker.
    pub(super) commands: BTreeMap<u64, Command>,
}

impl World {
    /// The world before anything has happened.
    pub fn new(schedule: &Schedule) -> Result<Self, String> {
        let workload = workload::draw(schedule.seed).map_err(|error| error.to_string())?;
        let log = StreamName::new("coordinator").map_err(|error| error.to_string())?;
        let mut bag = Mailbag::default();
        bag.at(0, Happening::LeaderStarts(1));
        bag.at(0, Happening::OperatorWakes);
        for (machine, _) in workload.workers.iter().enumerate() {
            bag.at(0, Happening::WorkerStarts(machine));
        }
        for (place, planned) in schedule.faults.iter().enumerate() {
            bag.at(planned.at, Happening::FaultBegins(place));
            bag.at(planned.end(), Happening::FaultEnds(place));
        }
        Ok(Self {
            now: 0,
            calm_at: schedule.faults.iter().map(|planned| planned.end()).max().unwrap_or(0),
            faults: schedule.faults.clone(),
            bag,
            network: Network::new(schedule.seed),
            disk: Arc::default(),
            check: Checker::new(log.clone()),
            log,
            mutation: schedule.mutation,
            leaders: BTreeMap::new(),
            active: None,
            last_leader: 1,
            operator: Operator::new(workload.orders.clone()),
            workload,
            seed: schedule.seed,
            processes: 0,
            workers: BTreeMap::new(),
            curators: BTreeMap::new(),
            last_curator: 0,
            gone_for: 0,
            zombies: BTreeMap::new(),
            commands: BTreeMap::new(),
        })
    }

    /// Simulated milliseconds so far.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Lets everything happen until all is done.
    pub fn run(&mut self) -> Result<Report, String> {
        while let Some((time, happening)) = self.bag.next() {
            self.now = time;
            self.happen(happening)?;
            if self.is_done() {
                return self.finish();
            }
            if self.now > self.calm_at.saturating_add(PATIENCE) {
                return Err(format!(
                    "not everything is finished an hour after the last fault: {}",
                    self.left()
                ));
            }
        }
        Err("nothing happens any more".to_owned())
    }

    fn is_done(&self) -> bool {
        let leader = self.active.and_then(|active| self.leaders.get(&active));
        let leads = leader.is_some_and(|leader| leader.position() == self.check.position());
        // A leader that was deposed and has nothing to write does not notice; its curators ask in vain.
        let leads_here = |curator: &&Curator| Some(curator.leader) == self.active;
        let curated = || self.curators.values().filter(leads_here).all(Curator::is_done);
        self.now > self.calm_at && self.operator.is_done() && self.check.all_over() && leads && curated()
    }

    /// What is not finished, for whoever reads a failure.
    fn left(&self) -> String {
        let leader = self.active.and_then(|active| self.leaders.get(&active));
        let runs = leader.into_iter().flat_map(|leader| leader.state().runs());
        let open = runs.filter(|(_, run)| !run.phase().over() || run.frozen().is_none());
        let runs: Vec<String> = open
            .map(|(name, run)| format!("{name} is {:?} with {} open units", run.phase(), run.open()))
            .collect();
        let busy = self.curators.values().filter(|curator| !curator.is_done()).count();
        format!(
            "[{}]; {busy} curators at work; all orders carried out: {}",
            runs.join(", "),
            self.operator.is_done()
        )
    }

    fn happen(&mut self, happening: Happening) -> Result<(), String> {
        match happening {
            Happening::Request(leader, request) => self.arrive(leader, request),
            Happening::LeaderWakes(leader) => return self.step(leader),
            Happening::LeaderTicks(leader) => return self.tick(leader),
            Happening::LeaderStarts(leader) => return self.start_leader(leader),
            Happening::Note(machine, process, note) => self.note(machine, process, note),
            Happening::WorkerWakes(machine, process) => return self.look(machine, process),
            Happening::WorkerStarts(machine) => return self.start_worker(machine),
            Happening::CuratorWakes(curator) => return self.curate(curator),
            Happening::OperatorNote(request, answer) => self.operator.hear(request, &answer),
            Happening::OperatorWakes => self.operate(),
            Happening::FaultBegins(place) => self.begin(place),
            Happening::FaultEnds(place) => self.end(place),
        }
        Ok(())
    }

    /// Sends a request to whoever leads.
    pub(super) fn send(&mut self, asker: Asker, command: Command) -> u64 {
        let request = self.bag.request(asker, command);
        let number = request.number;
        let way = Way::Up(machine_of(asker));
        let arrivals = self.network.fate(way);
        if let Some(leader) = self.active {
            self.commands.insert(number, request.command.clone());
            for delay in arrivals {
                self.bag.at(self.now.saturating_add(delay), Happening::Request(leader, request.clone()));
            }
        }
        number
    }

    /// Sends something to whoever asked.
    pub(super) fn send_back(&mut self, asker: Asker, happening: &Happening) {
        for delay in self.network.fate(Way::Down(machine_of(asker))) {
            self.bag.at(self.now.saturating_add(delay), happening.clone());
        }
    }

    /// The end: the log alone gives the state that the leader has, with and without a snapshot.
    fn finish(&mut self) -> Result<Report, String> {
        self.check.finish()?;
        self.check.coverage.torn_snapshots = self.disk.torn_reads();
        let mut state = State::default();
        for stored in self.disk.events(&self.log, 0) {
            let record = Record::read(&self.log, &stored).map_err(|error| error.to_string())?;
            apply(&mut state, &record.event).map_err(|error| error.to_string())?;
        }
        let live = self.active.and_then(|active| self.leaders.get(&active));
        let reread = Leader::start(&self.disk, &self.log, None).map_err(|end| format!("{end:?}"))?;
        if *reread.state() != state || live.is_none_or(|leader| *leader.state() != state) {
            return Err("the log does not give the state that the leader has".to_owned());
        }
        Ok(Report { log: self.disk.digest(), coverage: self.check.coverage })
    }
}

fn machine_of(asker: Asker) -> Option<usize> {
    match asker {
        Asker::Worker(machine, _) => Some(machine),
        Asker::Operator | Asker::Curator(_) | Asker::Clock => None,
    }
}
