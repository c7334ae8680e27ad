//! A small deterministic generator for building worlds: the same seed gives the same world on
//! every machine. Not for secrets, and never used after a world is built.

use palaestra_domain::Digest;

/// Splitmix64: one word of state, good enough to shuffle names.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator for one instance of one template under a run's seed.
    pub(crate) fn for_instance(seed: u64, template: &str, instance: u32) -> Self {
        let digest = Digest::of(format!("{seed}/{template}/{instance}").as_bytes());
        let word = digest.as_bytes().iter().take(8).fold(0_u64, |word, byte| (word << 8) | u64::from(*byte));
        Self(word)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        let span = u64::from(high.saturating_sub(low)) + 1;
        low.saturating_add(u32::try_from(self.next() % span).unwrap_or(0))
    }

    /// True in `part` of `whole` cases.
    pub(crate) fn chance(&mut self, part: u32, whole: u32) -> bool {
        self.between(1, whole) <= part
    }

    /// One of a pool.
    pub(crate) fn pick<T: Copy + Default>(&mut self, pool: &[T]) -> T {
        let last = u32::try_from(pool.len()).unwrap_or(u32::MAX).saturating_sub(1);
        pool.get(self.between(0, last) as usize).copied().unwrap_or_default()
    }

    /// Puts items in a random order (Fisher-Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.between(0, u32::try_from(last).unwrap_or(u32::MAX)) as usize;
            items.swap(last, other);
        }
    }

    /// A pool as a shuffled deck.
    pub(crate) fn deck(&mut self, pool: &[&'static str]) -> Deck {
        let mut cards = pool.to_vec();
        self.shuffle(&mut cards);
        Deck(cards)
    }
}

/// A shuffled pool from which every card is drawn once, so that what a template plants never
/// meets itself among the furniture.
#[derive(Debug, Clone)]
pub(crate) struct Deck(Vec<&'static str>);

impl Deck {
    /// The next card; `exhausted` when the pool was too small, which a test forbids.
    pub(crate) fn draw(&mut self) -> &'static str {
        self.0.pop().unwrap_or("exhausted")
    }
}
