//! What tells the scripted agents apart: one documented blind spot each.

use serde_json::Value;

use super::data::Action;
use super::notes::Notes;
use super::shop::Shop;

/// After so many calls the impatient agent begins no further change.
const PATIENCE: usize = 6;

/// The function at which the inattentive agent errs.
const EXCHANGE: &str = "exchange_delivered_order_items";

/// An agent's way of working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// Does what the reference does.
    Careful,
    /// Takes the task for done after its first change.
    Forgetful,
    /// Exchanges for the first available variant, whatever was asked for.
    Inattentive,
    /// Begins no change once it has made six calls.
    Impatient,
}

impl Habit {
    /// All habits by the name of their model.
    pub(super) const ALL: [(&str, Self); 4] = [
        ("careful", Self::Careful),
        ("forgetful", Self::Forgetful),
        ("inattentive", Self::Inattentive),
        ("impatient", Self::Impatient),
    ];

    /// The reference as the agent carries it out. A blind spot yields where the notes name the
    /// function concerned.
    pub(super) fn apply(self, reference: &[Action], notes: &Notes, shop: &Shop) -> Carried {
        let mut carried = Carried { actions: Vec::new(), whole: true };
        let mut changes = 0;
        for action in reference {
            let blind = writes(&action.name) && !notes.name(&action.name);
            let left_out = match self {
                Self::Careful | Self::Inattentive => false,
                Self::Forgetful => blind && changes > 0,
                Self::Impatient => blind && carried.actions.len() >= PATIENCE,
            };
            if left_out {
                carried.whole = false;
                continue;
            }
            changes += usize::from(writes(&action.name));
            let errs = self == Self::Inattentive && blind && action.name == EXCHANGE;
            carried.actions.push(if errs { hurried(action, shop) } else { action.clone() });
        }
        carried
    }
}

/// What an agent does of the reference.
#[derive(Debug)]
pub(super) struct Carried {
    /// Its calls.
    pub(super) actions: Vec<Action>,
    /// Whether it left nothing out.
    pub(super) whole: bool,
}

/// Whether a function of the shop changes anything.
pub(super) fn writes(function: &str) -> bool {
    ["cancel_", "exchange_", "modify_", "return_"].iter().any(|verb| function.starts_with(verb))
}

/// The same exchange with the first available variants.
fn hurried(action: &Action, shop: &Shop) -> Action {
    let mut action = action.clone();
    let old = action.arguments.get("item_ids").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Array(new)) = action.arguments.get_mut("new_item_ids") {
        for (new, old) in new.iter_mut().zip(old) {
            let (Some(wanted), Some(replaced)) = (new.as_str(), old.as_str()) else { continue };
            if let Some(first) = shop.first_other(wanted, replaced) {
                *new = Value::from(first);
            }
        }
    }
    action
}
