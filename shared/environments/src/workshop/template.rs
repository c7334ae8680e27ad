//! A template: what all instances of one kind of task share.

use super::intent::Goal;
use super::oracle::{Answer, Oracle, Wanted};
use super::random::Random;
use super::setup::Setup;
use super::user::User;
use super::world::World;

/// One kind of task.
pub(crate) struct Template {
    pub(crate) ability: &'static str,
    pub(crate) name: &'static str,
    /// Plants the task into a furnished world.
    pub(crate) build: fn(&mut Setup) -> Draft,
}

/// What a template says about one instance.
pub(crate) struct Draft {
    pub(crate) instruction: String,
    pub(crate) goals: Vec<Goal>,
    pub(crate) wanted: Vec<Wanted>,
    pub(crate) answer: Answer,
    pub(crate) user: User,
}

/// One instance, ready to be attempted.
pub(crate) struct Instance {
    pub(crate) world: World,
    pub(crate) instruction: String,
    pub(crate) goals: Vec<Goal>,
    pub(crate) oracle: Oracle,
    pub(crate) user: User,
}

impl Template {
    /// Builds an instance; the same seed and number give the same one.
    pub(crate) fn instance(&self, seed: u64, number: u32) -> Instance {
        let mut setup = Setup::new(Random::for_instance(seed, self.name, number));
        let draft = (self.build)(&mut setup);
        let oracle = Oracle { ask: draft.user.answer.is_some(), writes: draft.wanted, answer: draft.answer };
        Instance {
            instruction: format!("It is {}. {}", setup.world.now, draft.instruction),
            world: setup.world,
            goals: draft.goals,
            oracle,
            user: draft.user,
        }
    }
}
