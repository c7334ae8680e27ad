//! The promises, checked after every step: against the log as it is on the disk, never against what
//! the leader says of itself.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_coordinator::Record;
use palaestra_coordinator::state::{Event, Payer, RunStep, State, Step};
use palaestra_domain::{Ability, Digest, Epoch, Lease, NanoUsd, RunName, UnitId};
use palaestra_store::StreamName;

use crate::ledger::Ledger;
use crate::report::Coverage;
use crate::slot::result_of;
use crate::store::Disk;

/// Where a unit is, as the log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Waits,
    Leased,
    Committed,
    Unresolved,
}

#[derive(Debug)]
struct Unit {
    epoch: u32,
    place: Place,
    bank: Option<Ability>,
    attempts: u32,
}

#[derive(Debug, Default)]
struct Run {
    units: Vec<Unit>,
    ledger: Ledger,
    /// What the provider billed.
    billed: NanoUsd,
    /// The same, call by call.
    bills: BTreeMap<(Payer, u32), NanoUsd>,
    /// The present term of its curation.
    term: u32,
    /// Its frozen bank.
    frozen: Option<Digest>,
    cancelled: bool,
    /// By bank: the units that are in it.
    banks: BTreeMap<Ability, Vec<u32>>,
}

/// The checker.
#[derive(Debug)]
pub struct Checker {
    log: StreamName,
    position: u64,
    runs: BTreeMap<RunName, Run>,
    /// Every lease that was ever given.
    pub(super) leases: BTreeSet<Lease>,
    /// Every lease whose result was accepted.
    pub(super) committed: BTreeSet<Lease>,
    /// Every lease whose result was acknowledged.
    pub(super) acknowledged: BTreeSet<Lease>,
    /// What was met.
    pub coverage: Coverage,
}

impl Checker {
    pub fn new(log: StreamName) -> Self {
        Self {
            log,
            position: 0,
            runs: BTreeMap::new(),
            leases: BTreeSet::new(),
            committed: BTreeSet::new(),
            acknowledged: BTreeSet::new(),
            coverage: Coverage::default(),
        }
    }

    /// Whether every unit of every run that was handed in has ended.
    pub fn all_over(&self) -> bool {
        let mut units = self.runs.values().flat_map(|run| &run.units);
        units.all(|unit| matches!(unit.place, Place::Committed | Place::Unresolved))
    }

    /// How many events the log holds.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Reads what is new on the disk.
    pub fn read(&mut self, disk: &Disk) -> Result<(), String> {
        for stored in disk.events(&self.log, self.position) {
            let record = Record::read(&self.log, &stored).map_err(|error| error.to_string())?;
            self.position = stored.position.saturating_add(1);
            self.fold(&record.event).map_err(|broken| format!("event {}: {broken}", stored.position))?;
        }
        self.read_banks(disk)?;
        self.runs.iter().try_for_each(|(name, run)| within(name, run))
    }

    fn fold(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::RunSubmitted { run, spec, .. } => {
                let ledger = Ledger::new(spec.budget.usd);
                let added = self.runs.insert(run.clone(), Run { ledger, ..Run::default() });
                if added.is_some() { Err(format!("run {run} was accepted twice")) } else { Ok(()) }
            }
            Event::UnitsAdded { run, units } => {
                let run = self.runs.entry(run.clone()).or_default();
                run.units.extend(units.iter().map(|plan| Unit {
                    epoch: 1,
                    place: Place::Waits,
                    bank: plan.bank.clone(),
                    attempts: plan.attempts,
                }));
                Ok(())
            }
            Event::RunRevised { run, spec } => {
                self.coverage.revised = self.coverage.revised.saturating_add(1);
                self.runs.entry(run.clone()).or_default().ledger.limit(spec.budget.usd);
                Ok(())
            }
            Event::Run { run, step: RunStep::Cancel } => {
                self.cancel(run);
                Ok(())
            }
            Event::Unit { unit, step } => self.step(unit, step),
            Event::CallReserved { payer, call, most } => self.of(payer)?.ledger.hold(payer, *call, most.usd),
            Event::CallClosed { payer, call, used } => {
                let run = self.of(payer)?;
                let billed = run.bills.get(&(payer.clone(), *call)).copied().unwrap_or_default();
                if billed != used.usd {
                    return Err(format!(
                        "call {call} of {payer} was billed {billed} and settled at {}",
                        used.usd
                    ));
                }
                run.ledger.close(payer, *call, used.usd)
            }
            Event::CallLost { payer, call } => {
                self.coverage.lost = self.coverage.lost.saturating_add(1);
                self.of(payer)?.ledger.lose(payer, *call)
            }
            Event::CurationBegan { run, term } => self.begin(run, *term),
            Event::BankFrozen { run, bank } => self.freeze(run, *bank),
            _ => Ok(()),
        }
    }

    fn cancel(&mut self, name: &RunName) {
        let run = self.runs.entry(name.clone()).or_default();
        run.cancelled = true;
        run.ledger.payer_over(&Payer::Curation { run: name.clone(), term: run.term });
        for (index, unit) in (0..).zip(&mut run.units) {
            if matches!(unit.place, Place::Waits | Place::Leased) {
                unit.place = Place::Unresolved;
                let epoch = Epoch(unit.epoch);
                run.ledger.lease_over(Lease { unit: UnitId { run: name.clone(), index }, epoch });
            }
        }
    }

    /// The run that a payer pays for, if it may: its lease or its term is the present one.
    fn of(&mut self, payer: &Payer) -> Result<&mut Run, String> {
        let run = self.runs.get_mut(payer.run()).ok_or_else(|| format!("{payer} is of no run"))?;
        let may = match payer {
            Payer::Curation { term, .. } => *term == run.term && !run.cancelled,
            Payer::Lease(lease) => {
                let unit = run.units.get(usize::try_from(lease.unit.index).unwrap_or(usize::MAX));
                unit.is_some_and(|unit| unit.place == Place::Leased && unit.epoch == lease.epoch.0)
            }
        };
        if may { Ok(run) } else { Err(format!("{payer} paid after its end")) }
    }

    /// A term ends the one before it, and what that one held may have been billed.
    fn begin(&mut self, name: &RunName, term: u32) -> Result<(), String> {
        let run = self.runs.entry(name.clone()).or_default();
        let before = std::mem::replace(&mut run.term, term);
        let open = run.ledger.payer_over(&Payer::Curation { run: name.clone(), term: before });
        let cut = &mut self.coverage.cut_terms;
        *cut = cut.saturating_add(u64::from(open > 0));
        if term > before { Ok(()) } else { Err(format!("term {term} of {name} came after {before}")) }
    }

    fn freeze(&mut self, name: &RunName, bank: Digest) -> Result<(), String> {
        let run = self.runs.entry(name.clone()).or_default();
        self.coverage.frozen = self.coverage.frozen.saturating_add(1);
        let over = run.units.iter().all(|unit| matches!(unit.place, Place::Committed | Place::Unresolved));
        match run.frozen.replace(bank) {
            None if over && !run.cancelled => Ok(()),
            _ => Err(format!("the bank of {name} was frozen too early or twice")),
        }
    }

    /// One writer, one result, epochs that only grow.
    fn step(&mut self, id: &UnitId, step: &Step) -> Result<(), String> {
        let run = self.runs.get_mut(&id.run).ok_or_else(|| format!("{id} is of no run"))?;
        let at = usize::try_from(id.index).unwrap_or(usize::MAX);
        let unit = run.units.get_mut(at).ok_or_else(|| format!("{id} was never planned"))?;
        let held = Lease { unit: id.clone(), epoch: Epoch(unit.epoch) };
        let broken =
            |what: &str| Err(format!("{id} was {what} at epoch {} while {:?}", unit.epoch, unit.place));
        match (unit.place, step) {
            (Place::Waits, Step::Lease { epoch, .. }) if epoch.0 == unit.epoch => {
                unit.place = Place::Leased;
                self.leases.insert(Lease { unit: id.clone(), epoch: *epoch });
            }
            (_, Step::Lease { .. }) => return broken("leased"),
            (Place::Leased, Step::Requeue { epoch, .. }) if epoch.0 > unit.epoch => {
                (unit.place, unit.epoch) = (Place::Waits, epoch.0);
                run.ledger.lease_over(held);
                self.coverage.requeued = self.coverage.requeued.saturating_add(1);
            }
            (_, Step::Requeue { .. }) => return broken("queued again"),
            (Place::Leased, Step::Commit { epoch, result, tally }) if epoch.0 == unit.epoch => {
                let lease = Lease { unit: id.clone(), epoch: *epoch };
                if *result != result_of(&lease) {
                    return Err(format!("the result that was accepted for {lease} is of another epoch"));
                }
                if tally.total() != unit.attempts {
                    return Err(format!("{lease} does not account for all attempts"));
                }
                unit.place = Place::Committed;
                self.committed.insert(lease);
                run.ledger.lease_over(held);
                self.coverage.committed = self.coverage.committed.saturating_add(1);
            }
            (_, Step::Commit { .. }) => return broken("committed"),
            (Place::Leased, Step::GiveUp { .. }) => {
                unit.place = Place::Unresolved;
                run.ledger.lease_over(held);
                self.coverage.unresolved = self.coverage.unresolved.saturating_add(1);
            }
            (_, Step::GiveUp { .. }) => return broken("given up"),
            (_, Step::Renew { .. } | Step::Cancel) => return broken("changed by a step that is no event"),
        }
        Ok(())
    }

    /// Packets stand in their bank in curriculum order, each once, none left out.
    fn read_banks(&mut self, disk: &Disk) -> Result<(), String> {
        for (name, run) in &mut self.runs {
            let banks: BTreeSet<Ability> = run.units.iter().filter_map(|unit| unit.bank.clone()).collect();
            for bank in banks {
                let stream = bank_stream(name, &bank)?;
                let held = run.banks.entry(bank.clone()).or_default();
                for stored in disk.events(&stream, u64::try_from(held.len()).unwrap_or(u64::MAX)) {
                    let index: u32 =
                        serde_json::from_slice(&stored.bytes).map_err(|error| error.to_string())?;
                    let first = held.last().map_or(0, |last| last.saturating_add(1));
                    let mut due = (0..).zip(&run.units).filter(|(at, unit)| {
                        *at >= first && unit.bank.as_ref() == Some(&bank) && unit.place != Place::Unresolved
                    });
                    match due.next() {
                        Some((at, unit)) if at == index && unit.place == Place::Committed => held.push(index),
                        next => {
                            let next = next.map(|(at, unit)| (at, unit.place));
                            return Err(format!(
                                "unit {index} reached {stream} out of turn; next is {next:?}"
                            ));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The provider bills a call.
    pub fn bill(&mut self, payer: Payer, call: u32, used: NanoUsd) -> Result<(), String> {
        let name = payer.run().clone();
        let run = self.runs.entry(name.clone()).or_default();
        run.billed = run.billed.saturating_add(used);
        run.bills.insert((payer, call), used);
        within(&name, run)
    }

    /// Nothing is lost: the leader's queues hold exactly what the log says is open.
    pub fn compare(&self, state: &State) -> Result<(), String> {
        let mut leased = 0_usize;
        for (name, run) in &self.runs {
            let known = state.runs().get(name).ok_or_else(|| format!("run {name} was forgotten"))?;
            let count = |place| run.units.iter().filter(|unit| unit.place == place).count();
            leased = leased.saturating_add(count(Place::Leased));
            let open = count(Place::Waits).saturating_add(count(Place::Leased));
            let attempts = |open: bool| -> u32 {
                let units = run
                    .units
                    .iter()
                    .filter(|unit| matches!(unit.place, Place::Waits | Place::Leased) == open);
                units.map(|unit| unit.attempts).sum()
            };
            if known.queue_depth() != count(Place::Waits) || usize::try_from(known.open()) != Ok(open) {
                return Err(format!("a unit of {name} was lost: the queue holds {}", known.queue_depth()));
            }
            if known.tally().total() != attempts(false) {
                return Err(format!("requested is not scored + no result + unresolved + open in {name}"));
            }
            let ledger = (known.ledger().spent().usd, known.ledger().held().usd);
            if ledger != (run.ledger.spent, run.ledger.held()) {
                return Err(format!("the ledger of {name} says {ledger:?}, the log {:?}", run.ledger));
            }
        }
        if state.leased() != leased {
            return Err(format!("{leased} units are leased, and {} leases can run out", state.leased()));
        }
        Ok(())
    }

    /// Every committed packet is in its bank.
    pub fn finish(&mut self) -> Result<(), String> {
        for (name, run) in &self.runs {
            for (index, unit) in (0..).zip(&run.units) {
                let Some(bank) = unit.bank.as_ref().filter(|_| unit.place == Place::Committed) else {
                    continue;
                };
                if !run.banks.get(bank).is_some_and(|held| held.contains(&index)) {
                    return Err(format!("the packet of {name}/{index} never reached bank {bank}"));
                }
                self.coverage.curated = self.coverage.curated.saturating_add(1);
            }
            if run.frozen.is_none() && !run.cancelled {
                return Err(format!("the bank of {name} was never frozen"));
            }
            let lost = run.ledger.may_have_billed;
            self.coverage.may_have_billed = self.coverage.may_have_billed.saturating_add(lost);
        }
        Ok(())
    }
}

/// What was billed was counted before.
fn within(name: &RunName, run: &Run) -> Result<(), String> {
    let counted = run.ledger.committed();
    if run.billed > counted {
        return Err(format!("{} was billed to {name}, and only {counted} is counted", run.billed));
    }
    Ok(())
}

/// Where a bank rests.
pub fn bank_stream(run: &RunName, bank: &Ability) -> Result<StreamName, String> {
    StreamName::new(format!("bank/{run}/{bank}")).map_err(|error| error.to_string())
}
