//! Choosing: which of several is meant, who somebody is, how many. Whoever presumes guesses;
//! the others compare and ask.

use palaestra_environments::workshop::intent::{Binding, Keep, Purpose, Test};
use serde_json::{Map, Value, json};

use super::runner::{Halt, Runner, Step, unknown};

/// The list of contacts that fit a name; a plan's own names never look like this.
const CONTACTS: Binding = "(contacts)";

impl Runner<'_, '_> {
    /// Settles on one item of a list.
    pub(super) async fn choose(
        &mut self,
        into: Binding,
        from: Binding,
        wide: Option<Binding>,
        question: &str,
    ) -> Step {
        let mut candidates = self.bound.list(from);
        if candidates.len() != 1 {
            if let (true, Some(wide)) = (candidates.is_empty(), wide) {
                candidates = self.bound.list(wide);
            }
            if !self.habits.presumes {
                let reply = self.session.ask(question).await?;
                candidates = best_mentioned(candidates, &reply);
            }
        }
        let chosen =
            candidates.into_iter().next().ok_or_else(|| unknown(format!("which {into} is meant")))?;
        self.bound.set(into, chosen);
        Ok(())
    }

    /// Finds a person. Whoever presumes takes the name for an address as long as it will do, and
    /// the first hit when it will not.
    pub(super) async fn person(
        &mut self,
        into: Binding,
        name: &str,
        detail: Option<&Keep>,
        purpose: Purpose,
        question: &str,
    ) -> Step {
        if self.habits.presumes && purpose == Purpose::Address {
            self.presumed.insert(into, name.to_owned());
            self.bound.set(into, json!({ "name": name, "email": name }));
            return Ok(());
        }
        self.contacts_named(name).await?;
        if let (Some(detail), false) = (detail, self.habits.presumes) {
            self.narrow(CONTACTS, CONTACTS, std::slice::from_ref(detail))?;
        }
        self.choose(into, CONTACTS, None, question).await
    }

    /// Looks up whoever was presumed, now that a name has been refused as an address.
    pub(super) async fn look_up_presumed(&mut self) -> Step {
        for (into, name) in std::mem::take(&mut self.presumed) {
            self.contacts_named(&name).await?;
            self.choose(into, CONTACTS, None, "").await?;
        }
        Ok(())
    }

    async fn contacts_named(&mut self, name: &str) -> Step {
        let query = Map::from_iter([("query".to_owned(), Value::from(name))]);
        let keep = [Keep { field: "name", test: Test::Has(name.to_owned()) }];
        self.gather(CONTACTS, "contacts.find_contacts", &query, &keep).await
    }

    /// A number that the instruction leaves open.
    pub(super) async fn ask_number(&mut self, into: Binding, question: &str) -> Step {
        let number = if self.habits.presumes {
            1
        } else {
            let reply = self.session.ask(question).await?;
            let digits = reply.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
            digits
                .and_then(|digits| digits.parse::<u32>().ok())
                .ok_or_else(|| Halt::GaveUp("no number was given.".to_owned()))?
        };
        self.bound.set_field(into, "number", number);
        Ok(())
    }
}

/// The candidates of which a reply mentions the most.
fn best_mentioned(candidates: Vec<Value>, reply: &str) -> Vec<Value> {
    let reply = reply.to_lowercase();
    let score = |item: &Value| {
        let values = item.as_object().into_iter().flat_map(Map::values).filter_map(Value::as_str);
        values.filter(|value| value.len() > 2 && reply.contains(&value.to_lowercase())).count()
    };
    let best = candidates.iter().map(score).max().unwrap_or(0);
    candidates.into_iter().filter(|item| best > 0 && score(item) == best).collect()
}
