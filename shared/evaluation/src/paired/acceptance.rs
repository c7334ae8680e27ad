//! What the paper's acceptance rule lets through (DAEDALUS appendix C): after at least one failure, N_s
//! successes in a row before the N_f-th failure.

use crate::error::Error;

/// The chance that the rule accepts a heuristic without any effect, for a Solver that passes with
/// probability p: (1 - p^N_s) (1 - (1 - p^N_s)^(N_f - 1)).
///
/// The Solver's attempts are independent. Each stretch between failures is a full streak with chance
/// p^N_s. The first stretch must not be one, else the task is too easy; then N_f - 1 stretches remain.
///
/// # Errors
/// [`Error::OutOfRange`] when `success_rate` is no probability, or a bound is 0.
pub fn inert_acceptance(success_rate: f64, streak: u32, most_failures: u32) -> Result<f64, Error> {
    if !(0.0..=1.0).contains(&success_rate) {
        return Err(Error::OutOfRange {
            what: "success rate",
            value: success_rate.to_string(),
            rule: "a probability from 0 to 1",
        });
    }
    if streak == 0 || most_failures == 0 {
        return Err(Error::OutOfRange {
            what: "streak or most failures",
            value: streak.min(most_failures).to_string(),
            rule: "at least 1; the paper has 3 and 8",
        });
    }
    let full_streak = success_rate.powf(f64::from(streak));
    let broken = 1.0 - full_streak;
    Ok(broken * (1.0 - broken.powf(f64::from(most_failures - 1))))
}
