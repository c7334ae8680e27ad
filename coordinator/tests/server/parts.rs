//! What the server is made of, put together as a program does it.

use std::sync::Arc;

use palaestra_coordinator::curation::{CoreDealer, CurationParts, Curations};
use palaestra_coordinator::state::Millis;
use palaestra_coordinator::{Books, Core, Limits, Metrics, ServeParts};
use palaestra_domain::WorkerId;
use palaestra_models::{Limiter, PriceTable};
use palaestra_runtime::{CancellationToken, ManualClock};

pub(crate) fn parts(
    core: &Core,
    clock: Arc<ManualClock>,
    metrics: &Metrics,
    limits: Limits,
    lease: Millis,
    stop: &CancellationToken,
) -> ServeParts {
    let books = Books::new(core.clone()).counted(metrics, clock.clone());
    let dealer = CoreDealer::new(core.clone(), WorkerId::new("curation").unwrap());
    let curation = CurationParts {
        core: core.clone(),
        books: books.clone(),
        clock: clock.clone(),
        prices: PriceTable::embedded().unwrap(),
        limiter: Limiter::new(Arc::new(dealer), clock.clone()),
    };
    let curations = Curations::start(curation, stop.clone());
    ServeParts { core: core.clone(), books, curations, clock, metrics: metrics.clone(), limits, lease }
}
