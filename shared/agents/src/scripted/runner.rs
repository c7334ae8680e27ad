//! Carries out a plan, goal by goal; every decision is made on what was observed.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use palaestra_environments::workshop::intent::{Binding, Goal, When};
use serde_json::Value;

use super::bindings::{Bindings, order};
use super::habits::Habits;
use crate::session::{Session, Stop};

/// Why a goal was not reached.
#[derive(Debug)]
pub(super) enum Halt {
    /// The agent does not know how to go on, in words.
    GaveUp(String),
    /// The attempt cannot go on.
    Stop(Stop),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// What a goal comes to.
pub(super) type Step = Result<(), Halt>;

/// A plan being carried out.
pub(super) struct Runner<'a, 'e> {
    pub(super) session: &'a mut Session<'e>,
    pub(super) habits: Habits,
    pub(super) bound: Bindings,
    /// People whose name stands in for an address that was not looked up.
    pub(super) presumed: BTreeMap<Binding, String>,
    response: Option<String>,
}

impl<'a, 'e> Runner<'a, 'e> {
    /// A runner that knows nothing yet.
    pub(super) fn new(session: &'a mut Session<'e>, habits: Habits) -> Self {
        Self { session, habits, bound: Bindings::default(), presumed: BTreeMap::new(), response: None }
    }

    /// The final response.
    pub(super) fn response(&mut self) -> String {
        self.response.take().unwrap_or_else(|| "I have done what I could.".to_owned())
    }

    /// Carries out goals in order. Boxed, since goals hold goals.
    pub(super) fn run<'s>(
        &'s mut self,
        goals: &'s [Goal],
    ) -> Pin<Box<dyn Future<Output = Step> + Send + 's>> {
        Box::pin(async move {
            for goal in goals {
                self.goal(goal).await?;
            }
            Ok(())
        })
    }

    async fn goal(&mut self, goal: &Goal) -> Step {
        match goal {
            Goal::Gather { into, listing, arguments, keep } => {
                self.gather(into, listing, arguments, keep).await
            }
            Goal::Narrow { into, from, keep } => self.narrow(into, from, keep),
            Goal::Look { into, function, arguments } => self.look(into, function, arguments).await,
            Goal::Extract { into, text, after, until } => self.extract(into, text, after, until),
            Goal::Choose { into, from, wide, question } => self.choose(into, from, *wide, question).await,
            Goal::Person { into, name, detail, purpose, question } => {
                self.person(into, name, detail.as_ref(), *purpose, question).await
            }
            Goal::AskNumber { into, question } => self.ask_number(into, question).await,
            Goal::Check { reads, when, then, otherwise } => self.check(reads, when, then, otherwise).await,
            Goal::FirstThat { into, from, by, reads, when, then } => {
                let list = self.sorted(from, by);
                self.first_that(into, list, reads, when, then).await
            }
            Goal::Each { into, from, goals } => {
                for item in self.bound.list(from) {
                    self.bound.set(into, item);
                    self.run(goals).await?;
                }
                Ok(())
            }
            // Whoever rushes begins with what was said last.
            Goal::InOrder { first, then } if self.habits.rushes => {
                self.run(then).await?;
                self.run(first).await
            }
            Goal::InOrder { first, then } => {
                self.run(first).await?;
                self.run(then).await
            }
            Goal::Take { .. } | Goal::Lowest { .. } | Goal::Count { .. } | Goal::Sum { .. } => {
                self.reckon(goal)
            }
            Goal::Write { function, arguments } => self.write(function, arguments).await,
            Goal::Reply { text } => {
                self.response = Some(self.bound.fill_text(text).map_err(unknown)?);
                Ok(())
            }
        }
    }

    /// Goals that need no call: lists and numbers.
    fn reckon(&mut self, goal: &Goal) -> Step {
        match goal {
            Goal::Take { into, item } => {
                let item = self.bound.get(item).cloned().ok_or_else(|| unknown(format!("the {item}")))?;
                self.bound.append(into, item);
            }
            Goal::Lowest { into, from, field } => {
                let lowest = self.sorted(from, field).into_iter().next();
                self.bound.set(into, lowest.ok_or_else(|| unknown(format!("any of the {from}")))?);
            }
            Goal::Count { into, from } => self.bound.set_field(into, "number", self.bound.list(from).len()),
            Goal::Sum { into, from, field } => {
                let list = self.bound.list(from);
                let sum: i64 = list.iter().filter_map(|item| item.get(field).and_then(Value::as_i64)).sum();
                self.bound.set_field(into, "number", sum);
            }
            _ => {}
        }
        Ok(())
    }

    /// Looks, then acts. Whoever rushes acts, then looks, and leaves it at that.
    async fn check(&mut self, reads: &[Goal], when: &When, then: &[Goal], otherwise: &[Goal]) -> Step {
        if self.habits.rushes {
            self.run(then).await?;
            return self.run(reads).await;
        }
        self.run(reads).await?;
        let goals = if self.holds(when)? { then } else { otherwise };
        self.run(goals).await
    }

    async fn first_that(
        &mut self,
        into: Binding,
        list: Vec<Value>,
        reads: &[Goal],
        when: &When,
        then: &[Goal],
    ) -> Step {
        for item in list {
            self.bound.set(into, item);
            if !self.habits.rushes {
                self.run(reads).await?;
                if self.holds(when)? {
                    return self.run(then).await;
                }
                continue;
            }
            match self.run(then).await {
                Ok(()) => return self.run(reads).await,
                // The world has refused this one: recover with the next.
                Err(Halt::GaveUp(_)) => {}
                Err(stop) => return Err(stop),
            }
        }
        Err(Halt::GaveUp("nothing that I found is fit for it.".to_owned()))
    }

    fn holds(&self, when: &When) -> Result<bool, Halt> {
        match when {
            When::Empty(list) => Ok(self.bound.list(list).is_empty()),
            When::Fits(name, keep) => {
                let item = self.bound.get(name).unwrap_or(&Value::Null);
                self.bound.fits(item, std::slice::from_ref(keep)).map_err(unknown)
            }
        }
    }

    /// A list by a rising field; equal items keep their order.
    fn sorted(&self, from: Binding, field: &str) -> Vec<Value> {
        let mut list = self.bound.list(from);
        list.sort_by(|a, b| match (a.get(field), b.get(field)) {
            (Some(a), Some(b)) => order(a, b).unwrap_or(std::cmp::Ordering::Equal),
            _ => std::cmp::Ordering::Equal,
        });
        list
    }
}

/// Giving up because something was not found out.
pub(super) fn unknown(what: String) -> Halt {
    Halt::GaveUp(format!("I have not found out {what}."))
}
