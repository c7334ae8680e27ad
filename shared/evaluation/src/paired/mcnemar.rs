//! McNemar's test on discordant pairs: the χ² that the paper prints, and the exact test that holds for
//! any count.

/// (b - c)² / (b + c), without continuity correction, for b pairs of one kind and c of the other; one
/// degree of freedom. None without discordant pairs.
#[must_use]
pub fn mcnemar_chi2(b: u64, c: u64) -> Option<f64> {
    let n = b.checked_add(c).filter(|n| *n > 0)?;
    Some((b.abs_diff(c) as f64).powi(2) / n as f64)
}

/// The exact two-sided p-value: twice the smaller tail of a binomial with b + c trials at ½, at most 1.
/// Without discordant pairs it is 1.
#[must_use]
pub fn exact_two_sided(b: u64, c: u64) -> f64 {
    let n = b.saturating_add(c);
    // Logarithms: ½ⁿ leaves the range of a double above a thousand pairs.
    let mut ln_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = ln_term.exp();
    for i in 0..b.min(c) {
        ln_term += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
        tail += ln_term.exp();
    }
    (2.0 * tail).min(1.0)
}
