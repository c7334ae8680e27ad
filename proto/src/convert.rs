//! Messages in the domain's words and back.

use palaestra_domain::{
    Ability, BudgetLimits, Digest, Epoch, Lease, LimitKey, NanoUsd, RunName, Spend, Tally, TaskId, Unit,
    UnitId,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::problem::{Problem, Reason};
use crate::v1;

/// A message that cannot mean anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the field {field} of the message cannot be used: {message}; is the sender of another version?")]
pub struct Malformed {
    /// Which field.
    pub field: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Self {
        Self::new(Reason::Malformed, malformed.to_string()).with("field", malformed.field)
    }
}

/// What must be in a message.
///
/// # Errors
/// [`Malformed`] when it is not.
pub fn required<T>(field: &'static str, value: Option<T>) -> Result<T, Malformed> {
    value.ok_or_else(|| Malformed { field, message: "it is missing".to_owned() })
}

/// A digest of 32 bytes.
///
/// # Errors
/// [`Malformed`] when they are not 32.
pub fn digest(field: &'static str, bytes: &[u8]) -> Result<Digest, Malformed> {
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| Malformed {
        field,
        message: format!("a digest has 32 bytes, and these are {}", bytes.len()),
    })?;
    Ok(Digest::from_bytes(bytes))
}

/// The wire name of a member of a closed set: the one that files use.
#[must_use]
pub fn name_of(member: &impl Serialize) -> String {
    match serde_json::to_value(member) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

/// The member of a closed set that a wire name stands for.
///
/// # Errors
/// [`Malformed`] for an unknown name.
pub fn named<T: DeserializeOwned>(field: &'static str, name: &str) -> Result<T, Malformed> {
    serde_json::from_value(Value::String(name.to_owned()))
        .map_err(|error| Malformed { field, message: error.to_string() })
}

fn parsed<T, E: std::fmt::Display>(field: &'static str, value: Result<T, E>) -> Result<T, Malformed> {
    value.map_err(|error| Malformed { field, message: error.to_string() })
}

impl From<&Lease> for v1::Lease {
    fn from(lease: &Lease) -> Self {
        Self { run: lease.unit.run.to_string(), index: lease.unit.index, epoch: lease.epoch.0 }
    }
}

impl TryFrom<v1::Lease> for Lease {
    type Error = Malformed;

    fn try_from(lease: v1::Lease) -> Result<Self, Malformed> {
        let run = parsed("lease.run", RunName::new(lease.run))?;
        Ok(Self { unit: UnitId { run, index: lease.index }, epoch: Epoch(lease.epoch) })
    }
}

impl From<Spend> for v1::Spend {
    fn from(spend: Spend) -> Self {
        Self { nano_usd: spend.usd.0, tokens: spend.tokens }
    }
}

impl From<v1::Spend> for Spend {
    fn from(spend: v1::Spend) -> Self {
        Self { usd: NanoUsd(spend.nano_usd), tokens: spend.tokens }
    }
}

impl From<BudgetLimits> for v1::BudgetLimits {
    fn from(limits: BudgetLimits) -> Self {
        Self { nano_usd: limits.usd.map(|usd| usd.0), tokens: limits.tokens }
    }
}

impl From<v1::BudgetLimits> for BudgetLimits {
    fn from(limits: v1::BudgetLimits) -> Self {
        Self { usd: limits.nano_usd.map(NanoUsd), tokens: limits.tokens }
    }
}

impl From<Tally> for v1::Tally {
    fn from(tally: Tally) -> Self {
        let Tally { passed, failed, no_result, unresolved } = tally;
        Self { passed, failed, no_result, unresolved }
    }
}

impl From<v1::Tally> for Tally {
    fn from(tally: v1::Tally) -> Self {
        let v1::Tally { passed, failed, no_result, unresolved } = tally;
        Self { passed, failed, no_result, unresolved }
    }
}

impl From<&Unit> for v1::Unit {
    fn from(unit: &Unit) -> Self {
        Self {
            kind: name_of(&unit.kind),
            environment: name_of(&unit.environment),
            task: unit.task.to_string(),
            bank: unit.bank.as_ref().map(ToString::to_string),
            attempts: unit.attempts,
            input: unit.input.map(|digest| digest.as_bytes().to_vec()),
        }
    }
}

impl TryFrom<v1::Unit> for Unit {
    type Error = Malformed;

    fn try_from(unit: v1::Unit) -> Result<Self, Malformed> {
        Ok(Self {
            kind: named("unit.kind", &unit.kind)?,
            environment: named("unit.environment", &unit.environment)?,
            task: parsed("unit.task", TaskId::new(unit.task))?,
            bank: unit.bank.map(|bank| parsed("unit.bank", Ability::new(bank))).transpose()?,
            attempts: unit.attempts,
            input: unit.input.map(|bytes| digest("unit.input", &bytes)).transpose()?,
        })
    }
}

impl From<&LimitKey> for v1::LimitKey {
    fn from(key: &LimitKey) -> Self {
        Self {
            provider: key.provider.clone(),
            account: key.account.as_bytes().to_vec(),
            model: key.model.clone(),
        }
    }
}

impl TryFrom<v1::LimitKey> for LimitKey {
    type Error = Malformed;

    fn try_from(key: v1::LimitKey) -> Result<Self, Malformed> {
        let account = digest("key.account", &key.account)?;
        Ok(Self { provider: key.provider, account, model: key.model })
    }
}

#[cfg(test)]
mod tests {
    use palaestra_domain::UnitKind;
    use palaestra_domain::run_file::spec::EnvironmentName;

    use super::*;

    #[test]
    fn values_survive_the_wire() {
        let unit = Unit {
            kind: UnitKind::ReferenceTask,
            environment: EnvironmentName::Workshop,
            task: TaskId::new("task/1").unwrap(),
            bank: Some(Ability::global()),
            attempts: 3,
            input: Some(Digest::of(b"input")),
        };
        assert_eq!(Unit::try_from(v1::Unit::from(&unit)), Ok(unit));
        let unit = UnitId { run: RunName::new("retail").unwrap(), index: 7 };
        let lease = Lease { unit, epoch: Epoch(3) };
        assert_eq!(Lease::try_from(v1::Lease::from(&lease)), Ok(lease));
        let key = LimitKey { provider: "p".into(), account: Digest::of(b"key"), model: "m".into() };
        assert_eq!(LimitKey::try_from(v1::LimitKey::from(&key)), Ok(key));
        let tally = Tally { passed: 1, failed: 2, no_result: 3, unresolved: 4 };
        assert_eq!(Tally::from(v1::Tally::from(tally)), tally);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let unit = v1::Unit { kind: "holiday".into(), ..v1::Unit::default() };
        assert_eq!(Unit::try_from(unit).unwrap_err().field, "unit.kind");
        assert_eq!(digest("input", b"short").unwrap_err().field, "input");
        let lease = v1::Lease { run: "no such/name".into(), ..v1::Lease::default() };
        assert_eq!(Problem::from(Lease::try_from(lease).unwrap_err()).reason, Reason::Malformed);
    }
}
