//! The workshop behind the environment contract.

use std::collections::BTreeMap;

use async_trait::async_trait;
use palaestra_domain::task::Split;
use palaestra_domain::tool::Effect;
use palaestra_domain::{Digest, Task};

use super::listing::{find, tasks};
use super::oracle::Oracle;
use super::user::User;
use super::verifier::{Deed, judge};
use super::world::{TOOLS, World};
use crate::contract::{Act, ActResult, Description, Environment, UserPart, Verdict};
use crate::error::Error;

/// The workshop's name in run files and task ids.
pub const NAME: &str = "workshop";

/// The version of templates, tools and rules: results of different versions do not compare.
const DATA_VERSION: &str = "workshop-1";

/// The embedded world: an office of mail, calendar, contacts, messages, files and a shop.
#[derive(Debug, Default)]
pub struct Workshop {
    attempt: Option<Attempt>,
}

/// One attempt from reset to verdict.
#[derive(Debug)]
struct Attempt {
    start: World,
    world: World,
    oracle: Oracle,
    user: User,
    deeds: Vec<Deed>,
    acts: BTreeMap<String, (Act, ActResult)>,
    response: Option<String>,
}

impl Workshop {
    fn attempt(&mut self, step: &'static str) -> Result<&mut Attempt, Error> {
        self.attempt.as_mut().ok_or(Error::OutOfStep { step, needed: "reset" })
    }
}

impl Attempt {
    fn act(&mut self, act: &Act) -> ActResult {
        if self.response.is_some() {
            let content = "the task is finished: nothing more can be done in it".to_owned();
            return ActResult::of_call(content, true);
        }
        match self.world.call(&act.function, &act.arguments) {
            Ok(done) => {
                if done.tool.effect == Effect::Write {
                    self.deeds.push(Deed::Wrote { function: act.function.clone(), args: done.args });
                }
                ActResult::of_call(done.content.to_string(), false)
            }
            Err(content) => ActResult::of_call(content, true),
        }
    }
}

#[async_trait]
impl Environment for Workshop {
    async fn describe(&mut self) -> Result<Description, Error> {
        let tools =
            TOOLS.iter().flat_map(|tools| tools.iter()).map(|tool| tool.spec()).collect::<Result<_, _>>()?;
        let data_version = DATA_VERSION.to_owned();
        Ok(Description {
            name: NAME,
            data_version,
            tools,
            rules: None,
            greeting: None,
            user: UserPart::Answers,
            cell: None,
        })
    }

    async fn tasks(&mut self, split: Split, instances: u32, seed: u64) -> Result<Vec<Task>, Error> {
        tasks(split, instances, seed)
    }

    async fn reset(&mut self, task: &Task, seed: u64) -> Result<String, Error> {
        let instance = find(&task.id, seed)
            .ok_or_else(|| Error::UnknownTask { environment: NAME, task: task.id.clone() })?;
        if task.instruction != instance.instruction {
            return Err(Error::SeedMismatch { task: task.id.clone(), seed });
        }
        self.attempt = Some(Attempt {
            start: instance.world.clone(),
            world: instance.world,
            oracle: instance.oracle,
            user: instance.user,
            deeds: Vec::new(),
            acts: BTreeMap::new(),
            response: None,
        });
        Ok(instance.instruction)
    }

    async fn act(&mut self, act: &Act) -> Result<ActResult, Error> {
        let attempt = self.attempt("act")?;
        match attempt.acts.get(&act.id) {
            Some((earlier, result)) if earlier == act => Ok(result.clone()),
            Some(_) => Err(Error::ActIdReused { id: act.id.clone() }),
            None => {
                let result = attempt.act(act);
                attempt.acts.insert(act.id.clone(), (act.clone(), result.clone()));
                Ok(result)
            }
        }
    }

    async fn say(&mut self, text: &str) -> Result<String, Error> {
        let attempt = self.attempt("say")?;
        if attempt.response.is_some() {
            return Err(Error::OutOfStep { step: "say anything after finish", needed: "reset" });
        }
        let (reply, asked) = attempt.user.reply(text);
        if asked {
            attempt.deeds.push(Deed::Asked);
        }
        Ok(reply)
    }

    async fn state_hash(&mut self) -> Result<Digest, Error> {
        Ok(self.attempt("hash the state")?.world.digest()?)
    }

    async fn finish(&mut self, final_response: &str) -> Result<(), Error> {
        let attempt = self.attempt("finish")?;
        if attempt.response.is_some() {
            return Err(Error::OutOfStep { step: "finish twice", needed: "reset" });
        }
        attempt.response = Some(final_response.to_owned());
        Ok(())
    }

    async fn verify(&mut self) -> Result<Verdict, Error> {
        let attempt = self.attempt("verify")?;
        let response =
            attempt.response.as_deref().ok_or(Error::OutOfStep { step: "verify", needed: "finish" })?;
        Ok(judge(&attempt.oracle, &attempt.start, &attempt.world, &attempt.deeds, response))
    }

    async fn close(&mut self) -> Result<(), Error> {
        self.attempt = None;
        Ok(())
    }
}
