//! From what a record says about its end to a three-way outcome.
//!
//! A crash of the provider, the harness or the grader says nothing about the agent: unresolved,
//! with the recorded reward in the reason. Running out of steps, of patience with its own errors
//! or of context is the agent's doing: the recorded reward stands.

use palaestra_domain::Outcome;
use palaestra_domain::outcome::UnresolvedClass;

/// Rewards are sums of floating-point parts: this much below the threshold still passes.
const TOLERANCE: f64 = 1e-6;

/// What a record says about its end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ending<'a> {
    /// The recorded reward.
    pub reward: Option<f64>,
    /// tau2-bench's termination reason.
    pub termination: Option<&'a str>,
    /// The error that ended the run.
    pub run_error: Option<&'a str>,
    /// The error that ended the grading.
    pub grader_error: Option<&'a str>,
    /// The smallest reward that passes.
    pub threshold: f64,
}

impl Ending<'_> {
    /// The outcome.
    pub(super) fn outcome(&self) -> Outcome {
        if let Some(error) = self.run_error
            && !is_own_limit(error)
        {
            return self.unresolved(class_of(error), &format!("the run broke off: {}", first_line(error)));
        }
        match self.termination {
            Some(reason @ ("agent_error" | "user_error")) => {
                return self.unresolved(UnresolvedClass::Provider, &format!("terminated by {reason}"));
            }
            Some(reason @ ("infrastructure_error" | "unexpected_error")) => {
                return self.unresolved(UnresolvedClass::Infrastructure, &format!("terminated by {reason}"));
            }
            _ => {}
        }
        if let Some(error) = self.grader_error {
            let reason = format!("the grader gave no verdict: {}", one_line(error));
            return self.unresolved(UnresolvedClass::Infrastructure, &reason);
        }
        match (self.reward, self.termination) {
            (Some(reward), _) => Outcome::Scored { passed: reward >= self.threshold - TOLERANCE, reward },
            (None, Some(reason @ ("max_steps" | "too_many_errors"))) => {
                Outcome::NoResult { reason: format!("terminated by {reason} without a verdict") }
            }
            (None, _) => self.unresolved(UnresolvedClass::Unknown, "the record has no reward"),
        }
    }

    fn unresolved(&self, class: UnresolvedClass, what: &str) -> Outcome {
        let reason = match self.reward {
            Some(reward) => format!("{what} (recorded reward {reward})"),
            None => what.to_owned(),
        };
        Outcome::Unresolved { class, reason }
    }
}

/// Limits that an agent runs into by itself.
fn is_own_limit(error: &str) -> bool {
    ["Reached max steps", "ContextWindowExceeded", "context_length_exceeded", "maximum context length"]
        .iter()
        .any(|mark| error.contains(mark))
}

/// Whose failure an error text tells of.
pub(super) fn class_of(error: &str) -> UnresolvedClass {
    const PROVIDER: [&str; 9] = [
        "litellm.",
        "openai.",
        "anthropic.",
        "APIError",
        "APIConnectionError",
        "RateLimit",
        "InternalServerError",
        "ServiceUnavailable",
        "server_error",
    ];
    if PROVIDER.iter().any(|mark| error.contains(mark)) {
        UnresolvedClass::Provider
    } else {
        UnresolvedClass::Infrastructure
    }
}

/// The first line that says something, at most 200 characters of it.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no text");
    line.chars().take(200).collect()
}

/// A message of several lines as one, at most 300 characters of it.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORED: Ending<'_> = Ending {
        reward: Some(0.0),
        termination: Some("user_stop"),
        run_error: None,
        grader_error: None,
        threshold: 1.0,
    };

    fn class(ending: Ending<'_>) -> Option<UnresolvedClass> {
        match ending.outcome() {
            Outcome::Unresolved { class, .. } => Some(class),
            _ => None,
        }
    }

    #[test]
    fn crashes_are_unresolved_and_keep_their_reward_in_the_reason() {
        let crash = Ending { run_error: Some("litellm.APIError: server_error\nmore"), ..SCORED };
        assert_eq!(
            crash.outcome(),
            Outcome::Unresolved {
                class: UnresolvedClass::Provider,
                reason: "the run broke off: litellm.APIError: server_error (recorded reward 0)".to_owned()
            }
        );
        assert_eq!(
            class(Ending { run_error: Some("list index out of range"), ..SCORED }),
            Some(UnresolvedClass::Infrastructure)
        );
        assert_eq!(
            class(Ending { termination: Some("agent_error"), ..SCORED }),
            Some(UnresolvedClass::Provider)
        );
        assert_eq!(
            class(Ending { grader_error: Some("replay differs"), ..SCORED }),
            Some(UnresolvedClass::Infrastructure)
        );
        assert_eq!(class(Ending { reward: None, ..SCORED }), Some(UnresolvedClass::Unknown));
    }

    #[test]
    fn the_agents_own_limits_are_failures() {
        for ending in [
            Ending { termination: Some("max_steps"), run_error: Some("Reached max steps (800)"), ..SCORED },
            Ending { termination: Some("too_many_errors"), ..SCORED },
            Ending { run_error: Some("litellm.ContextWindowExceededError: too long"), ..SCORED },
        ] {
            assert_eq!(ending.outcome(), Outcome::Scored { passed: false, reward: 0.0 });
        }
        let ungraded = Ending { reward: None, termination: Some("max_steps"), ..SCORED };
        assert!(matches!(ungraded.outcome(), Outcome::NoResult { .. }));
    }

    #[test]
    fn the_threshold_decides_between_passed_and_failed() {
        let graded = Ending { reward: Some(0.84), ..SCORED };
        assert!(!graded.outcome().passed());
        assert!(Ending { threshold: 0.8, ..graded }.outcome().passed());
        assert!(Ending { reward: Some(0.999_999_9), ..graded }.outcome().passed());
    }
}
