//! One process's limiter: a lane for each model under each account.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use palaestra_domain::LimitKey;
use palaestra_runtime::{CancellationToken, Clock, tasks};

use super::dealer::ShareDealer;
use super::lane::{Lane, Slot};
use super::tend::tend;
use crate::settings::RateLimits;

/// The limiter of a process, for all its runs.
///
/// Each lane has a background task, which ends with the limiter.
pub struct Limiter {
    dealer: Arc<dyn ShareDealer>,
    clock: Arc<dyn Clock>,
    lanes: Mutex<BTreeMap<LimitKey, Arc<Lane>>>,
    stop: CancellationToken,
}

impl Limiter {
    /// A limiter whose lanes use what `dealer` deals them.
    #[must_use]
    pub fn new(dealer: Arc<dyn ShareDealer>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { dealer, clock, lanes: Mutex::default(), stop: CancellationToken::new() })
    }

    /// Waits for a slot of the lane and for the quotas of one attempt with so many tokens.
    pub(crate) async fn enter(&self, key: &LimitKey, limits: &RateLimits, tokens: u64) -> Slot {
        self.lane(key, limits).enter(limits, tokens).await
    }

    fn lane(&self, key: &LimitKey, limits: &RateLimits) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(key) {
            return Arc::clone(lane);
        }
        let lane = Arc::new(Lane::new(key.clone(), Arc::clone(&self.clock), *limits));
        lanes.insert(key.clone(), Arc::clone(&lane));
        tasks::spawn("limiter-lane", tend(Arc::clone(&lane), Arc::clone(&self.dealer), self.stop.clone()));
        lane
    }
}

impl Drop for Limiter {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter").finish_non_exhaustive()
    }
}
