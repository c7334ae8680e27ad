//! Banks do not depend on who was fast: whatever order units end in, they are the same to the byte.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use palaestra_domain::{Digest, FailureClass, RunName, Unit};
use palaestra_methods::contramem::construct::PacketEntry;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::run::{Curation, Ended, RunView, Submission};
use proptest::prelude::*;
use tokio::runtime::Runtime;

use crate::support::building::store;
use crate::support::whole::{Whole, streams, workshop};

/// A run whose units are done, once for all orders.
struct Done {
    run: Whole,
    submission: Submission,
    units: Vec<(Unit, Digest)>,
}

impl Done {
    async fn new() -> Self {
        let mut file = workshop("maxDeltas: 3");
        // Its own abilities, so that several banks grow side by side.
        file.spec.environment.ability = None;
        let run = Whole::new(&store(), file);
        let plan = run.plan().await.unwrap();
        let mut units = Vec::new();
        for unit in plan.units {
            let result = run.work(&unit).await.unwrap();
            units.push((unit, result));
        }
        Self { run, submission: plan.submission, units }
    }

    /// What is left of a run whose units end in this order, some of them without a result.
    async fn curated(&self, name: &str, order: &[(usize, bool)]) -> Curated {
        let (store, name) = (&self.run.store, RunName::new(name).unwrap());
        let opened =
            Curation::open(Arc::clone(store), &name, self.submission.clone(), Arc::new(|_| ())).await;
        let mut curation = opened.unwrap();
        for (at, gave_up) in order {
            let (unit, result) = &self.units[*at];
            let ended =
                if *gave_up { Ended::GaveUp(Some(FailureClass::Provider)) } else { Ended::Result(*result) };
            curation.record(unit, ended).await.unwrap();
        }
        let frozen = curation.finish(Arc::new(ContrastMiner)).await.unwrap();
        let view = RunView::read(Arc::clone(store), &name).await.unwrap();
        let evidence = serde_json::to_string(&view.evidence().await.unwrap()).unwrap();
        let banks = streams(store.as_ref(), &format!("bank/{name}/")).await;
        Curated { bank: frozen.to_json().unwrap(), banks, evidence, packets: view.packets() }
    }
}

/// What a run leaves behind beside the order of its own events.
#[derive(Debug, PartialEq)]
struct Curated {
    bank: String,
    banks: BTreeMap<String, Vec<Vec<u8>>>,
    evidence: String,
    packets: Vec<PacketEntry>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn banks_are_the_same_whatever_order_units_end_in(
        order in Just((0..64).collect::<Vec<usize>>()).prop_shuffle(),
        lost in prop::collection::btree_set(0..64_usize, 0..4),
    ) {
        static DONE: OnceLock<(Runtime, Done)> = OnceLock::new();
        static CASES: AtomicU32 = AtomicU32::new(0);
        let (runtime, done) = DONE.get_or_init(|| {
            let runtime = Runtime::new().unwrap();
            let done = runtime.block_on(Done::new());
            (runtime, done)
        });
        let case = CASES.fetch_add(1, Ordering::Relaxed);
        let arrival: Vec<(usize, bool)> =
            order.into_iter().filter(|at| *at < done.units.len()).map(|at| (at, lost.contains(&at))).collect();
        let mut curriculum = arrival.clone();
        curriculum.sort_unstable();
        let in_order = runtime.block_on(done.curated(&format!("in-order-{case}"), &curriculum));
        let arrived = runtime.block_on(done.curated(&format!("arrival-{case}"), &arrival));
        prop_assert!(arrived.banks.len() > 3, "{:?}", arrived.banks.keys());
        prop_assert_eq!(arrived.packets.len(), arrival.iter().filter(|(_, lost)| !lost).count());
        prop_assert!(in_order == arrived, "{arrival:?}");
    }
}
