//! How numbers are printed. Fractions become percent with one decimal, halves away from zero, as the
//! papers print them.

use palaestra_domain::NanoUsd;

use crate::efficiency::RoleTotal;
use crate::intervals::Interval;
use crate::success::{Estimate, MacroMean, Rate};

/// What stands where a measure is not defined.
pub(crate) const NONE: &str = "n/a";

/// One decimal, halves away from zero, never a negative zero.
pub(crate) fn decimal(value: f64) -> String {
    format!("{:.1}", (value * 10.0).round() / 10.0 + 0.0)
}

/// A fraction as percent.
pub(crate) fn percent(fraction: f64) -> String {
    decimal(fraction * 100.0)
}

/// A difference of fractions, in points, with its sign.
pub(crate) fn points(difference: f64) -> String {
    signed(difference * 100.0)
}

/// A difference with its sign.
pub(crate) fn signed(difference: f64) -> String {
    let text = decimal(difference);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// `47.5 (19/40 of 40)`: percent, passed of resolved of requested.
pub(crate) fn rate(rate: Rate) -> String {
    let value = rate.value().map_or_else(|| NONE.to_owned(), percent);
    format!("{value} ({}/{} of {})", rate.passed, rate.resolved, rate.requested)
}

/// `27.5 (200 of 200)`: percent, resolved of requested.
pub(crate) fn macro_mean(mean: MacroMean) -> String {
    let value = mean.value.map_or_else(|| NONE.to_owned(), percent);
    format!("{value} ({} of {})", mean.resolved, mean.requested)
}

/// `44.3 ± 1.1`, percent; what it is over is said where it matters.
pub(crate) fn estimate(estimate: Option<Estimate>) -> String {
    let Some(estimate) = estimate else { return NONE.to_owned() };
    let error = estimate.standard_error.map_or_else(|| NONE.to_owned(), percent);
    format!("{} ± {error} ({} of {})", percent(estimate.mean), estimate.used, estimate.requested)
}

/// `[2.1, 18.5]`, in points.
pub(crate) fn interval(interval: Option<Interval>) -> String {
    interval.map_or_else(|| NONE.to_owned(), |i| format!("[{}, {}]", percent(i.low), percent(i.high)))
}

/// `0.0169` or `1.49e-9`.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { format!("{p:.2e}") } else { format!("{p:.4}") }
}

/// A value through its printer, or `n/a`.
pub(crate) fn optional(value: Option<f64>, print: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), print)
}

/// What a mean over targets is called.
pub(crate) fn targets(count: u64) -> String {
    format!("mean of {count} target{}", if count == 1 { "" } else { "s" })
}

/// Money in cents, halves up; `at least` where some of it has no known price, `unknown` where
/// all of it has none.
pub(crate) fn cost(total: RoleTotal) -> String {
    let cents = total.cost.0.saturating_add(NanoUsd::PER_USD / 200) / (NanoUsd::PER_USD / 100);
    let money = format!("${}.{:02}", cents / 100, cents % 100);
    if total.unpriced > 0 && total.cost == NanoUsd(0) {
        return "unknown".to_owned();
    }
    if total.unpriced > 0 { format!("at least {money}") } else { money }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_up_as_in_contramem_table_a3() {
        for (passed, tasks, printed) in [
            (51, 160, "31.9"),
            (66, 160, "41.3"),
            (70, 160, "43.8"),
            (118, 160, "73.8"),
            (2, 160, "1.3"),
            (182, 800, "22.8"),
            (358, 800, "44.8"),
        ] {
            assert_eq!(percent(f64::from(passed) / f64::from(tasks)), printed);
        }
    }

    #[test]
    fn signs_and_small_numbers() {
        assert_eq!([points(0.335), points(-0.025), points(-0.0001)], ["+33.5", "-2.5", "+0.0"]);
        assert_eq!([p_value(0.0169), p_value(1.4934e-9), p_value(1.0)], ["0.0169", "1.49e-9", "1.0000"]);
        let total = |cost, unpriced| RoleTotal { cost: NanoUsd(cost), unpriced, ..RoleTotal::default() };
        assert_eq!(cost(total(14_085_000_000, 0)), "$14.09");
        assert_eq!(
            [cost(total(5_000_000, 2)), cost(total(0, 2)), cost(total(0, 0))],
            ["at least $0.01", "unknown", "$0.00"]
        );
    }
}
