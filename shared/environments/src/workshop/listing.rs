//! The workshop's tasks by id: `workshop/<ability>/<template>/<number>`.
//!
//! Even numbers are reference instances, odd ones are held out. Every instance is a scenario of
//! its own with its own world, so that nothing of a held-out world is seen during construction.

use palaestra_domain::task::Split;
use palaestra_domain::{Ability, DomainError, Task, TaskId};

use super::environment::NAME;
use super::intent::Goal;
use super::template::{Instance, Template};
use super::templates::TEMPLATES;
use crate::error::Error;

/// The tasks of one side of the split: so many instances of each template under a run's seed,
/// with their instructions, ordered by ability and template.
///
/// `Environment::reset` has to be given the same seed.
///
/// # Errors
/// Only if a template's name were no valid task id.
pub fn tasks(split: Split, instances: u32, seed: u64) -> Result<Vec<Task>, Error> {
    let offset = match split {
        Split::Reference => 0,
        Split::HeldOut => 1,
    };
    let mut tasks = Vec::new();
    for template in TEMPLATES.iter().flat_map(|group| group.iter()) {
        for index in 0..instances {
            let number = index.saturating_mul(2).saturating_add(offset);
            tasks.push(task(template, number, template.instance(seed, number).instruction)?);
        }
    }
    Ok(tasks)
}

/// The plan that a task's template publishes for scripted agents; none for a task that the
/// workshop does not have. It says no more than the instruction.
#[must_use]
pub fn intent(task: &TaskId, seed: u64) -> Option<Vec<Goal>> {
    find(task, seed).map(|instance| instance.goals)
}

/// The instance behind a task id.
pub(crate) fn find(task: &TaskId, seed: u64) -> Option<Instance> {
    let mut parts = task.as_str().split('/');
    let (world, ability, name, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let number: u32 = number.parse().ok().filter(|_| world == NAME && parts.next().is_none())?;
    let mut templates = TEMPLATES.iter().flat_map(|group| group.iter());
    let template = templates.find(|template| template.ability == ability && template.name == name)?;
    Some(template.instance(seed, number))
}

fn task(template: &Template, number: u32, instruction: String) -> Result<Task, DomainError> {
    let id = format!("{NAME}/{}/{}/{number}", template.ability, template.name);
    Ok(Task {
        scenario: id.clone(),
        id: TaskId::new(id)?,
        ability: Some(Ability::new(template.ability)?),
        instruction,
    })
}
