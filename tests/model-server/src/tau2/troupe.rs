//! Who plays what: the role is told by the system prompt, the agent by the model's name.

use std::path::Path;

use super::agent;
use super::cases::Cases;
use super::customer;
use super::data::{Database, TaskEntry, read};
use super::habit::Habit;
use super::judge;
use super::notes::Notes;
use super::plan::steps;
use super::shop::Shop;
use crate::chat::ChatRequest;
use crate::error::Error;
use crate::reply::Reply;

/// The models that can be asked where the benchmark's data are known. The last one plays the
/// customer and the judge only; the others play them too.
pub(crate) const MODELS: [&str; 5] = ["careful", "forgetful", "inattentive", "impatient", "simulator"];

/// What the benchmark's prompt of the simulated user holds.
const CUSTOMER: &str = "<scenario>";

/// What the benchmark's prompt of the judge holds.
const JUDGE: &str = "`metExpectation`";

/// The retail domain's agents, customer and judge.
#[derive(Debug)]
pub(crate) struct Troupe {
    cases: Cases,
    shop: Shop,
}

impl Troupe {
    /// The troupe that knows the tasks and the shop of a folder: `tasks.json` and `db.json` of the
    /// benchmark's retail domain.
    ///
    /// # Errors
    /// [`Error::Tau2Data`] and [`Error::Tau2Form`].
    pub(crate) fn new(folder: &Path) -> Result<Self, Error> {
        let tasks: Vec<TaskEntry> = read(folder, "tasks.json")?;
        let database: Database = read(folder, "db.json")?;
        Ok(Self { cases: Cases::new(tasks), shop: Shop::new(database) })
    }

    /// The answer to a request of one of [`MODELS`].
    ///
    /// # Errors
    /// What is wrong with the request.
    pub(crate) fn answer(&self, request: &ChatRequest) -> Result<Reply, Error> {
        let system = request.instructions().unwrap_or_default();
        let first = request.first_words().unwrap_or_default();
        if system.contains(CUSTOMER) {
            let case = self.cases.told_to_customer(system)?;
            return Ok(Reply::Words(customer::answer(request, case)?));
        }
        if system.contains(JUDGE) {
            return Ok(Reply::Words(judge::answer(first)?.to_string()));
        }
        let habit = Habit::ALL.into_iter().find(|(name, _)| *name == request.model);
        let (_, habit) = habit.ok_or(Error::Lacks("the prompt of the simulated user or of the judge"))?;
        let case = self.cases.told_to_agent(first)?;
        let steps = steps(case, habit, &Notes::of(first), &self.shop);
        agent::answer(request, &steps)
    }
}
