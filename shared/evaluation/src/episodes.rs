//! The table of episodes, checked once: no duplicates, and episodes that will be paired agree on what
//! was measured.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::{Ability, SourceId, TaskId};

use crate::episode::Episode;
use crate::error::Error;

/// Graded episodes in a fixed order: condition, target, task, repeat.
#[derive(Debug, Clone, PartialEq)]
pub struct Episodes(Vec<Episode>);

type Key<'a> = (&'a str, &'a SourceId, &'a TaskId, u32);

fn key(episode: &Episode) -> Key<'_> {
    (&episode.condition, &episode.target, &episode.task, episode.repeat)
}

impl Episodes {
    /// Sorts and checks the episodes, in whatever order they arrived.
    ///
    /// # Errors
    /// [`Error::Duplicate`] for two results of one episode; [`Error::Contradiction`] when episodes of
    /// one task differ in scenario or ability, or in the seed of one repeat.
    pub fn new(mut episodes: Vec<Episode>) -> Result<Self, Error> {
        episodes.sort_by(|a, b| key(a).cmp(&key(b)));
        for (a, b) in episodes.iter().zip(episodes.iter().skip(1)) {
            if key(a) == key(b) {
                return Err(Error::Duplicate { episode: b.name() });
            }
        }
        check(&episodes)?;
        Ok(Self(episodes))
    }

    /// The episodes, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Episode> {
        self.0.iter()
    }

    /// The conditions, in order of their names.
    #[must_use]
    pub fn conditions(&self) -> BTreeSet<&str> {
        self.iter().map(|episode| episode.condition.as_str()).collect()
    }

    /// The targets, in order of their names.
    #[must_use]
    pub fn targets(&self) -> BTreeSet<&SourceId> {
        self.iter().map(|episode| &episode.target).collect()
    }

    /// The abilities, in order of their names.
    #[must_use]
    pub fn abilities(&self) -> BTreeSet<&Ability> {
        self.iter().map(|episode| &episode.ability).collect()
    }

    /// The most repeats that a target has under a condition.
    #[must_use]
    pub fn repeats(&self) -> u64 {
        let mut arms: BTreeMap<(&str, &SourceId), BTreeSet<u32>> = BTreeMap::new();
        for episode in self {
            arms.entry((&episode.condition, &episode.target)).or_default().insert(episode.repeat);
        }
        arms.values().map(|repeats| repeats.len() as u64).max().unwrap_or_default()
    }

    /// The episodes of one condition, of one target or of all.
    #[must_use]
    pub fn arm(&self, condition: &str, target: Option<&SourceId>) -> Vec<&Episode> {
        let of = |e: &&Episode| e.condition == condition && target.is_none_or(|t| e.target == *t);
        self.iter().filter(of).collect()
    }
}

impl<'a> IntoIterator for &'a Episodes {
    type Item = &'a Episode;
    type IntoIter = std::slice::Iter<'a, Episode>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn check(episodes: &[Episode]) -> Result<(), Error> {
    let mut tasks: BTreeMap<&TaskId, &Episode> = BTreeMap::new();
    let mut seeds: BTreeMap<(&SourceId, &TaskId, u32), &Episode> = BTreeMap::new();
    for episode in episodes {
        let first = *tasks.entry(&episode.task).or_insert(episode);
        agree(episode, "scenario", &episode.scenario, &first.scenario)?;
        agree(episode, "ability", &episode.ability, &first.ability)?;
        let paired = *seeds.entry((&episode.target, &episode.task, episode.repeat)).or_insert(episode);
        agree(episode, "seed", &episode.seed, &paired.seed)?;
    }
    Ok(())
}

fn agree<T: PartialEq + std::fmt::Display>(
    episode: &Episode,
    what: &'static str,
    found: &T,
    expected: &T,
) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Contradiction {
        episode: episode.name(),
        what,
        found: found.to_string(),
        expected: expected.to_string(),
    })
}
