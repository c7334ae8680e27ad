//! Whatever happens in whatever order: every unit that starts ends once, no slot is promised twice, no
//! result is lost, and nothing runs on when its lease is over.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use palaestra_domain::Lease;
use palaestra_proto::v1::worker_message::Body;
use palaestra_proto::{Problem, Reason};
use proptest::prelude::*;

use super::support::{Case, LEASE, SECOND, done, grant, lease};
use crate::slots::Action;
use crate::wire::Heard;

const SLOTS: u32 = 3;

#[derive(Debug, Clone)]
enum Step {
    Pass(u64),
    Connect,
    Disconnect,
    Register,
    /// The coordinator grants as many of the wished units as this.
    Grant(u32),
    /// The work of one of the running units ends by itself.
    End(usize),
    /// One of the reports on their way gets this verdict.
    Judge(usize, Option<Reason>),
    /// The last heartbeat is answered; this many of the held leases are over.
    Answer(usize),
    Revoke(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let reason = prop_oneof![
        4 => Just(None),
        1 => Just(Some(Reason::StaleLease)),
        1 => Just(Some(Reason::Unavailable)),
        1 => Just(Some(Reason::Malformed)),
    ];
    prop_oneof![
        3 => (0_u64..15).prop_map(Step::Pass),
        2 => Just(Step::Connect),
        1 => Just(Step::Disconnect),
        4 => Just(Step::Register),
        4 => (1_u32..4).prop_map(Step::Grant),
        3 => any::<usize>().prop_map(Step::End),
        3 => (any::<usize>(), reason).prop_map(|(at, reason)| Step::Judge(at, reason)),
        4 => (0_usize..2).prop_map(Step::Answer),
        1 => any::<usize>().prop_map(Step::Revoke),
    ]
}

/// What the outside knows of the machine.
#[derive(Default)]
struct Outside {
    connected: bool,
    registered: bool,
    wish: u32,
    next: u32,
    running: BTreeMap<Lease, Instant>,
    /// Ended by itself, and the coordinator has not said what became of it.
    owed: BTreeSet<Lease>,
    /// On its way on the present connection.
    sent: BTreeMap<u64, Lease>,
    heartbeat: Option<(u64, Instant, BTreeSet<Lease>)>,
    numbers: BTreeSet<u64>,
}

impl Outside {
    fn lose(&mut self) {
        (self.connected, self.registered, self.wish, self.heartbeat) = (false, false, 0, None);
        self.sent.clear();
    }

    fn see(&mut self, actions: Vec<Action>, now: Instant) {
        for action in actions {
            match action {
                Action::Start(grant) => {
                    assert!(self.running.insert(grant.lease.clone(), now + LEASE).is_none());
                }
                Action::Drop(lease) => assert!(self.running.remove(&lease).is_some(), "{lease} did not run"),
                Action::Reconnect(_) => self.lose(),
                Action::Send(message) => {
                    assert!(self.connected && self.numbers.insert(message.number));
                    self.hear(message.number, message.body.unwrap(), now);
                }
            }
        }
        assert!(self.running.values().all(|until| *until > now), "work goes on after its lease");
    }

    fn hear(&mut self, number: u64, body: Body, now: Instant) {
        let mut report = |lease: Option<palaestra_proto::v1::Lease>| {
            let lease = Lease::try_from(lease.unwrap()).unwrap();
            assert!(self.owed.contains(&lease), "{lease} is reported, and was told or dropped before");
            assert!(self.sent.insert(number, lease).is_none());
        };
        match body {
            Body::Register(_) => assert!(!self.registered),
            Body::Heartbeat(heartbeat) => {
                let held: BTreeSet<Lease> =
                    heartbeat.held.into_iter().map(|lease| Lease::try_from(lease).unwrap()).collect();
                let known: BTreeSet<Lease> = self.running.keys().chain(&self.owed).cloned().collect();
                assert_eq!(held, known);
                self.heartbeat = Some((number, now, held));
            }
            Body::Want(want) => {
                let filled = self.running.len() + self.owed.len();
                assert_eq!(want.units as usize, (SLOTS as usize).saturating_sub(filled));
                self.wish = want.units;
            }
            Body::Done(done) => report(done.lease),
            Body::Failed(failed) => report(failed.lease),
            Body::Drain(_) => panic!("nobody drains"),
        }
    }
}

fn play(case: &mut Case, outside: &mut Outside, step: Step) {
    let now = case.now;
    match step {
        Step::Pass(seconds) => case.now += Duration::from_secs(seconds).max(SECOND / 2),
        Step::Connect if !outside.connected => {
            outside.connected = true;
            case.slots.connected(now);
        }
        Step::Disconnect => {
            outside.lose();
            case.slots.disconnected();
        }
        Step::Register if outside.connected && !outside.registered => {
            outside.registered = true;
            case.slots.heard(Heard::Registered(LEASE), now);
        }
        Step::Grant(most) if outside.registered => {
            let grants: Vec<_> =
                (0..most.min(outside.wish)).map(|at| grant(&lease(outside.next + at, 0))).collect();
            outside.next += 4;
            outside.wish -= u32::try_from(grants.len()).unwrap();
            case.slots.heard(Heard::Granted(grants), now);
        }
        Step::End(at) if !outside.running.is_empty() => {
            let lease = outside.running.keys().nth(at % outside.running.len()).unwrap().clone();
            outside.running.remove(&lease);
            outside.owed.insert(lease.clone());
            case.slots.ended(&lease, done());
        }
        Step::Judge(at, reason) if !outside.sent.is_empty() => {
            let number = *outside.sent.keys().nth(at % outside.sent.len()).unwrap();
            let lease = outside.sent.remove(&number).unwrap();
            if matches!(reason, None | Some(Reason::StaleLease)) {
                outside.owed.remove(&lease);
            }
            let problem = reason.map(|reason| Problem::new(reason, "no"));
            case.slots.heard(Heard::Verdict { number, problem }, now);
            // The second refusal of one report is its last.
            if reason == Some(Reason::Malformed) && !case.slots.held.reports.contains_key(&lease) {
                outside.owed.remove(&lease);
            }
        }
        Step::Answer(over) => answer(case, outside, over),
        Step::Revoke(at) if outside.registered && !outside.running.is_empty() => {
            let lease = outside.running.keys().nth(at % outside.running.len()).unwrap().clone();
            case.slots.heard(Heard::Revoked(lease), now);
        }
        _ => {}
    }
}

fn answer(case: &mut Case, outside: &mut Outside, over: usize) {
    let Some((number, sent, held)) = outside.heartbeat.take() else { return };
    let (over, current) = (held.iter().take(over), held.iter().skip(over));
    for lease in current.clone() {
        if let Some(until) = outside.running.get_mut(lease) {
            *until = (*until).max(sent + LEASE);
        }
    }
    let current = current.map(|lease| (lease.clone(), LEASE)).collect();
    let over = over.cloned().collect();
    case.slots.heard(Heard::Alive { number, current, over }, case.now);
}

proptest! {
    #[test]
    fn the_machine_keeps_its_promises(steps in prop::collection::vec(step(), 1..200)) {
        let mut case = Case::new(SLOTS);
        let mut outside = Outside::default();
        for step in steps {
            play(&mut case, &mut outside, step);
            let actions = case.look();
            outside.see(actions, case.now);
            prop_assert!(outside.running.len() + outside.owed.len() <= SLOTS as usize);
            prop_assert_eq!(case.slots.holds(), (outside.running.len(), outside.owed.len()));
            if let Some(wakes_at) = case.slots.wakes_at() {
                prop_assert!(wakes_at > case.now, "it would wake at once, for ever");
            }
        }
        // In the end everything that is owed can be told.
        outside.lose();
        case.slots.disconnected();
        play(&mut case, &mut outside, Step::Connect);
        let actions = case.look();
        outside.see(actions, case.now);
        play(&mut case, &mut outside, Step::Register);
        let actions = case.look();
        outside.see(actions, case.now);
        let told: BTreeSet<Lease> = outside.sent.values().cloned().collect();
        prop_assert_eq!(told, outside.owed);
    }
}
