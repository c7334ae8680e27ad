//! Everything that is written to Redis is written by one of these scripts, and each of them changes
//! one key with one command.
//!
//! One command, because Redis writes several of a script between MULTI and EXEC, and one that is torn
//! within EXEC (a power cut) leaves an open MULTI in the append-only file: what is acknowledged after
//! the restart is then queued behind it, and gone or replaced after the next one (seen with 7.0.15).
//! A torn single command is cut off, and nothing else. So what belongs together is one value.
//!
//! The first line of a script makes the server refuse it before it starts when there is no memory or
//! no disk left. A script answers two texts: what became of it, and a detail.

use redis::Script;

macro_rules! by_writer {
    ($file:literal) => {
        concat!("#!lua\n", include_str!("lua/fence.lua"), include_str!($file))
    };
}

const ACQUIRE: &str = concat!("#!lua\n", include_str!("lua/acquire.lua"));
const RENEW: &str = by_writer!("lua/renew.lua");
const RELEASE: &str = by_writer!("lua/release.lua");
const LIST: &str = by_writer!("lua/list.lua");
const APPEND: &str = by_writer!("lua/append.lua");
const INTEND: &str = by_writer!("lua/intend.lua");
const ANSWER: &str = by_writer!("lua/answer.lua");
const WITHDRAW: &str = by_writer!("lua/withdraw.lua");
const CHUNK: &str = by_writer!("lua/chunk.lua");
const PUBLISH: &str = by_writer!("lua/publish.lua");

/// All of them, for the test of the format.
#[cfg(test)]
pub(super) const ALL: [&str; 10] =
    [ACQUIRE, RENEW, RELEASE, LIST, APPEND, INTEND, ANSWER, WITHDRAW, CHUNK, PUBLISH];

/// What a script answers.
pub(super) type Verdict = (String, String);

/// The writer's scripts with their hashes.
#[derive(Debug)]
pub(super) struct Scripts {
    pub(super) list: Script,
    pub(super) append: Script,
    pub(super) intend: Script,
    pub(super) answer: Script,
    pub(super) withdraw: Script,
    pub(super) chunk: Script,
    pub(super) publish: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            list: Script::new(LIST),
            append: Script::new(APPEND),
            intend: Script::new(INTEND),
            answer: Script::new(ANSWER),
            withdraw: Script::new(WITHDRAW),
            chunk: Script::new(CHUNK),
            publish: Script::new(PUBLISH),
        }
    }
}

pub(super) fn acquire() -> Script {
    Script::new(ACQUIRE)
}

pub(super) fn renew() -> Script {
    Script::new(RENEW)
}

pub(super) fn release() -> Script {
    Script::new(RELEASE)
}
