//! SplitMix64: the one source of chance.

/// A generator whose numbers depend on its seed alone.
#[derive(Debug, Clone)]
pub struct Prng(u64);

impl Prng {
    /// A generator for one purpose, so that drawing more for one does not shift another.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut prng = Self(seed ^ purpose.wrapping_mul(0xd1b5_4a32_d192_ed03));
        prng.next();
        prng
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let span = high.saturating_sub(low).saturating_add(1).max(1);
        low.saturating_add(self.next() % span)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.between(0, 99) < chance
    }

    /// One of some values.
    pub fn pick<T: Copy>(&mut self, values: &[T], otherwise: T) -> T {
        let last = u64::try_from(values.len()).unwrap_or(0).saturating_sub(1);
        let at = usize::try_from(self.between(0, last)).unwrap_or(0);
        values.get(at).copied().unwrap_or(otherwise)
    }
}
