//! Kendall's τ-b between two rankings of the same models (DAEDALUS section 5.3).

use std::cmp::Ordering;

use serde::Serialize;

/// Two rankings compared, pair of models by pair of models.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KendallTau {
    /// τ-b, -1 to 1.
    pub tau: f64,
    /// Pairs in the same order in both.
    pub concordant: u64,
    /// Pairs in opposite orders.
    pub discordant: u64,
    /// Pairs that at least one ranking ties.
    pub tied: u64,
    /// The exact two-sided p-value under independent rankings; none where anything is tied.
    pub exact_p: Option<f64>,
}

/// Kendall's τ-b of scores given by two measures, one pair of scores per model. None where it is not
/// defined: fewer than two models, a measure that ties them all, or a score that is no number.
#[must_use]
pub fn kendall_tau_b(scores: &[(f64, f64)]) -> Option<KendallTau> {
    let (mut concordant, mut discordant, mut tied) = (0_u64, 0_u64, 0_u64);
    let (mut ordered_first, mut ordered_second) = (0_u64, 0_u64);
    for (i, a) in scores.iter().enumerate() {
        for b in scores.iter().skip(i + 1) {
            let first = a.0.partial_cmp(&b.0)?;
            let second = a.1.partial_cmp(&b.1)?;
            ordered_first += u64::from(first != Ordering::Equal);
            ordered_second += u64::from(second != Ordering::Equal);
            match (first, second) {
                (Ordering::Equal, _) | (_, Ordering::Equal) => tied += 1,
                (x, y) if x == y => concordant += 1,
                _ => discordant += 1,
            }
        }
    }
    if ordered_first == 0 || ordered_second == 0 {
        return None;
    }
    let tau = (concordant as f64 - discordant as f64)
        / ((ordered_first as f64).sqrt() * (ordered_second as f64).sqrt());
    let exact_p = (tied == 0).then(|| exact_p(scores.len(), concordant.min(discordant)));
    Some(KendallTau { tau: tau.clamp(-1.0, 1.0), concordant, discordant, tied, exact_p })
}

/// Twice the chance that a random order of `models` has at most `inversions` pairs out of order.
fn exact_p(models: usize, inversions: u64) -> f64 {
    // The m-th model falls on each of m places with the same chance and adds 0 to m - 1 inversions.
    let mut chances = vec![1.0_f64];
    for placed in 2..=models {
        let width = chances.len() + placed - 1;
        let at = |total: usize| {
            let from = total.saturating_sub(placed - 1);
            chances.iter().take(total + 1).skip(from).sum::<f64>() / placed as f64
        };
        chances = (0..width).map(at).collect();
    }
    let tail: f64 = chances.iter().take(inversions as usize + 1).sum();
    (2.0 * tail).min(1.0)
}
