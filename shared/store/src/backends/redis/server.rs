//! What a server must promise before a store trusts it.

use std::collections::BTreeMap;

use redis::aio::MultiplexedConnection;
use redis::cmd;

use super::failure::{Fault, passes};
use crate::error::Error;

/// The oldest version that knows everything that is asked of it.
const OLDEST: u32 = 7;

/// When the server writes its append-only file to the disk (its setting `appendfsync`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendFsync {
    /// Before each answer: what was answered survives everything.
    Always,
    /// Each second: a crash of the server's machine may cost up to two seconds of what was answered.
    EverySecond,
    /// When the system likes: a crash of the server's machine may cost what was answered.
    Never,
}

/// Checks the server at the other end of a new connection. Every connection is checked, since a
/// server may come back with other settings.
pub(super) async fn check(
    connection: &mut MultiplexedConnection,
    location: &str,
) -> Result<AppendFsync, Fault> {
    let refuse = |problem: String, remedy| {
        Fault::Store(Error::Unsuitable { location: location.to_owned(), problem, remedy })
    };
    let info: String = cmd("INFO").arg("server").query_async(connection).await?;
    let version = info.lines().find_map(|line| line.strip_prefix("redis_version:")).unwrap_or("unknown");
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST) {
        return Err(refuse(format!("the server's version is {version}"), "use Redis 7 or newer"));
    }
    let wanted = ["appendonly", "appendfsync", "maxmemory-policy"];
    let asked = cmd("CONFIG").arg("GET").arg(&wanted).query_async(connection).await;
    let settings: BTreeMap<String, String> = match asked {
        Ok(settings) => settings,
        Err(error) if passes(&error) => return Err(error.into()),
        Err(error) => {
            return Err(refuse(
                format!("whether it keeps anything cannot be read ({error})"),
                "allow the user of this address the command CONFIG GET",
            ));
        }
    };
    let setting = |name: &str| settings.get(name).map_or("", String::as_str);
    if setting("appendonly") != "yes" {
        return Err(refuse(
            "its append-only file is off, so a restart would lose the store".to_owned(),
            "set `appendonly yes` (and best `appendfsync always`) in redis.conf, or start redis-server with \
             --appendonly yes",
        ));
    }
    let policy = setting("maxmemory-policy");
    if policy.starts_with("allkeys") {
        return Err(refuse(
            format!("its maxmemory-policy is {policy}, which drops data when memory is short"),
            "set `maxmemory-policy noeviction` in redis.conf",
        ));
    }
    Ok(match setting("appendfsync") {
        "always" => AppendFsync::Always,
        "everysec" => AppendFsync::EverySecond,
        _ => AppendFsync::Never,
    })
}
