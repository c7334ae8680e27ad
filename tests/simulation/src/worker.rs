//! A worker process: it registers, asks for units as it has room, shows that it is alive, keeps to
//! its share of the limit, and drains when told to.

use std::collections::BTreeMap;

use palaestra_coordinator::Answer;
use palaestra_coordinator::state::{Capacity, Command, Payer, Refusal};
use palaestra_domain::{Lease, LimitKey, NanoUsd, WorkerId};

use crate::call::Deed;
use crate::mailbag::Note;
use crate::prng::Prng;
use crate::slot::{Slot, Work};
use crate::workload::Machine;

/// What the process believes to be allowed.
#[derive(Debug, Default)]
struct Believed {
    /// The newest grant that was ever seen; older ones are passed over.
    newest: u64,
    /// The grant that is obeyed; 0 when nothing is used.
    obeyed: u64,
    slots: u32,
    until: u64,
}

/// One process on a machine.
#[derive(Debug)]
pub struct Worker {
    pub id: WorkerId,
    pub process: u32,
    pub slots: Vec<Slot>,
    /// It does and hears nothing until then.
    pub stands_until: u64,
    /// Whether it takes no more units and ends when it holds none.
    pub draining: bool,
    rude: bool,
    key: LimitKey,
    prng: Prng,
    registered: bool,
    share: Believed,
    /// When each request was sent, for those whose answers last from then.
    sent: BTreeMap<u64, u64>,
    next: Next,
}

/// When each kind of message is due again.
#[derive(Debug, Default)]
struct Next {
    register: u64,
    heartbeat: u64,
    units: u64,
    share: u64,
}

/// What a process wants to be done when it looks around.
pub enum Wish {
    /// A request to the leader; of a slot, or of the process.
    Ask(Option<usize>, Command),
    /// A call of a payer was billed.
    Bill(Payer, u32, NanoUsd),
}

impl Worker {
    pub fn new(id: WorkerId, process: u32, machine: &Machine, key: LimitKey, prng: Prng) -> Self {
        let slot = |environment| Slot { environment, work: None, hangs_until: 0, will_hang: None };
        Self {
            id,
            process,
            slots: machine.slots.iter().copied().map(slot).collect(),
            stands_until: 0,
            draining: false,
            rude: machine.rude,
            key,
            prng,
            registered: false,
            share: Believed::default(),
            sent: BTreeMap::new(),
            next: Next::default(),
        }
    }

    /// How many slots of the limit the process believes to have.
    pub fn believes(&self, now: u64) -> u32 {
        if self.share.obeyed > 0 && now < self.share.until { self.share.slots } else { 0 }
    }

    /// A request was sent.
    pub fn asked(&mut self, slot: Option<usize>, request: u64, now: u64) {
        self.sent.insert(request, now);
        let work = slot.and_then(|slot| self.slots.get_mut(slot)?.work.as_mut());
        if let Some(work) = work {
            work.asked(request);
        }
    }

    /// Looks around.
    pub fn look(&mut self, now: u64) -> Vec<Wish> {
        let mut wishes = Vec::new();
        let asks = |command| Wish::Ask(None, command);
        if !self.registered {
            if due(&mut self.next.register, now, 1_000) {
                let capacity = self.capacity();
                wishes.push(asks(Command::Register { worker: self.id.clone(), capacity }));
            }
            return wishes;
        }
        self.drop_what_has_run_out(now);
        if due(&mut self.next.heartbeat, now, 5_000) {
            let held = self.held(now);
            wishes.push(asks(Command::Heartbeat { worker: self.id.clone(), held }));
            if self.draining {
                wishes.push(asks(Command::Drain { worker: self.id.clone() }));
            }
        }
        wishes.extend(self.ask_for_share(now).map(asks));
        let free = self.slots.iter().filter(|slot| slot.work.is_none()).count();
        if free > 0 && !self.draining && due(&mut self.next.units, now, 1_000) {
            let most = u32::try_from(free).unwrap_or(0);
            wishes.push(asks(Command::RequestUnits { worker: self.id.clone(), most }));
        }
        self.work(now, &mut wishes);
        wishes
    }

    fn capacity(&self) -> Capacity {
        let mut capacity = Capacity::new();
        for slot in &self.slots {
            let room = capacity.entry(slot.environment).or_insert(0);
            *room = room.saturating_add(1);
        }
        capacity
    }

    /// What the process works on. A slot that hangs cannot say so.
    fn held(&self, now: u64) -> Vec<Lease> {
        let live = self.slots.iter().filter(|slot| slot.hangs_until <= now);
        live.filter_map(|slot| slot.work.as_ref().map(|work| work.lease.clone())).collect()
    }

    fn drop_what_has_run_out(&mut self, now: u64) {
        for slot in self.slots.iter_mut().filter(|slot| slot.hangs_until <= now) {
            let over = slot.work.as_ref().is_some_and(|work| work.until <= now);
            if over && !self.rude {
                slot.work = None;
            }
        }
    }

    fn ask_for_share(&mut self, now: u64) -> Option<Command> {
        let worker = self.id.clone();
        let key = self.key.clone();
        let want = u32::try_from(self.slots.iter().filter(|slot| slot.work.is_some()).count()).unwrap_or(0);
        if want == 0 {
            let grant = std::mem::take(&mut self.share.obeyed);
            return (grant > 0).then_some(Command::ReturnShare { worker, key, grant });
        }
        let every = if self.believes(now) > 0 { 5_000 } else { 1_000 };
        due(&mut self.next.share, now, every).then_some(Command::RequestShare {
            worker,
            key,
            want,
            seen: self.share.obeyed,
        })
    }

    fn work(&mut self, now: u64, wishes: &mut Vec<Wish>) {
        for slot in self.slots.iter_mut().filter(|slot| slot.work.is_some()) {
            if let Some(lasts) = slot.will_hang.take() {
                slot.hangs_until = now.saturating_add(lasts);
            }
        }
        let believed = self.believes(now);
        let calling =
            self.slots.iter().filter_map(|slot| slot.work.as_ref()).filter(|work| work.is_calling());
        let mut calling = u32::try_from(calling.count()).unwrap_or(u32::MAX);
        for (at, slot) in self.slots.iter_mut().enumerate().filter(|(_, slot)| slot.hangs_until <= now) {
            let Some(work) = &mut slot.work else { continue };
            if self.draining && !work.is_calling() {
                work.give_back();
            }
            let was_calling = work.is_calling();
            match work.look(now, calling < believed, &mut self.prng) {
                Some(Deed::Ask(command)) => wishes.push(Wish::Ask(Some(at), command)),
                Some(Deed::Bill(payer, call, used)) => wishes.push(Wish::Bill(payer, call, used)),
                None => {}
            }
            if work.is_calling() && !was_calling {
                calling = calling.saturating_add(1);
            }
        }
    }

    /// Hears something. Grants for which there is no room are left to expire.
    pub fn hear(&mut self, note: Note) {
        let (request, answer) = match note {
            Note::Revoke(lease) => return self.revoke(&lease),
            Note::Answer(request, answer) => (request, answer),
        };
        let sent = self.sent.remove(&request);
        if let Err(Refusal::UnknownWorker { .. }) = &answer {
            self.registered = false;
        }
        let before: Vec<_> = self.slots.iter().map(|slot| slot.work.is_some()).collect();
        for (slot, _) in self.slots.iter_mut().zip(before).filter(|(_, busy)| *busy) {
            let goes_on = slot.work.as_mut().is_some_and(|work| work.hear(request, &answer, &mut self.prng));
            if !goes_on {
                slot.work = None;
            }
        }
        let (Some(sent), Ok(answer)) = (sent, answer) else { return };
        match answer {
            Answer::Done | Answer::Term(_) => self.registered = true,
            Answer::Units(grants) => {
                for grant in &grants {
                    let fits =
                        |slot: &&mut Slot| slot.work.is_none() && slot.environment == grant.plan.environment;
                    if let Some(slot) = self.slots.iter_mut().find(fits) {
                        slot.work = Some(Work::begin(grant, sent, &mut self.prng));
                    }
                }
            }
            Answer::Leases { current, over } => {
                for (lease, lasts) in current {
                    for work in self.slots.iter_mut().filter_map(|slot| slot.work.as_mut()) {
                        if work.lease == lease {
                            work.until = work.until.max(sent.saturating_add(lasts.0));
                        }
                    }
                }
                over.iter().for_each(|lease| self.revoke(lease));
            }
            Answer::Share { grant, slots, lasts } => {
                let until = sent.saturating_add(lasts.0);
                if grant > self.share.newest {
                    self.share = Believed { newest: grant, obeyed: grant, slots, until };
                } else if grant == self.share.obeyed {
                    self.share.until = self.share.until.max(until);
                }
            }
        }
    }

    /// A slot that hangs, or a rude one, does not hear it.
    fn revoke(&mut self, lease: &Lease) {
        if self.rude {
            return;
        }
        for slot in self.slots.iter_mut().filter(|slot| slot.hangs_until == 0) {
            if slot.work.as_ref().is_some_and(|work| work.lease == *lease) {
                slot.work = None;
            }
        }
    }
}

/// Whether something that is done every so often is due; then it is due again later.
fn due(next: &mut u64, now: u64, every: u64) -> bool {
    let is_due = now >= *next;
    if is_due {
        *next = now.saturating_add(every);
    }
    is_due
}
