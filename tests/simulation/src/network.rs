//! The network between workers, operator and leader: how long each message takes, if it arrives.

use crate::prng::Prng;

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the leader, from a worker or the operator.
    Up(Option<usize>),
    /// From the leader, to a worker or the operator.
    Down(Option<usize>),
}

/// The state of the network.
#[derive(Debug)]
pub struct Network {
    prng: Prng,
    /// So many of a hundred messages vanish.
    pub loss: u64,
    /// So many of a hundred messages arrive twice.
    pub duplication: u64,
    /// Messages take up to so many milliseconds longer.
    pub delay: u64,
    /// Ways on which nothing arrives.
    pub cut: Vec<Way>,
}

impl Network {
    pub fn new(seed: u64) -> Self {
        Self { prng: Prng::new(seed, 3), loss: 0, duplication: 0, delay: 0, cut: Vec::new() }
    }

    /// After how many milliseconds the copies of a message arrive; none when it is lost.
    pub fn fate(&mut self, way: Way) -> Vec<u64> {
        if self.cut.contains(&way) || self.prng.percent(self.loss) {
            return Vec::new();
        }
        let mut arrivals = vec![self.delay()];
        if self.prng.percent(self.duplication) {
            let later = self.prng.between(0, 60_000);
            arrivals.push(self.delay().saturating_add(later));
        }
        arrivals
    }

    /// A way is open again.
    pub fn mend(&mut self, way: Way) {
        self.cut.retain(|cut| *cut != way);
    }

    fn delay(&mut self) -> u64 {
        let extra = self.delay;
        self.prng.between(2, 40).saturating_add(self.prng.between(0, extra))
    }
}
