//! A thread that owns a connection. The writer's takes all waiting writes into one transaction (group
//! commit): one sync of the disk answers every waiter.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use rusqlite::{Connection, MAIN_DB, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::failure::{Fault, system, translate};
use super::write::Write;
use crate::error::Error;

/// How many jobs may wait before callers do.
const QUEUE: usize = 1024;

/// How many writes one transaction takes at most, so that the first waiter is not kept forever.
const GROUP: usize = 256;

/// Something for the thread to do.
pub(super) enum Job {
    Write(Pending),
    Read(Box<dyn FnOnce(&Connection) + Send>),
}

/// A write and who waits for it.
pub(super) struct Pending {
    pub(super) write: Write,
    pub(super) reply: oneshot::Sender<Result<u64, Error>>,
}

/// Waits, when dropped, until its thread has done its last job and closed its connection. The
/// queue's senders must be gone by then.
#[derive(Debug)]
pub(super) struct Worker(Option<JoinHandle<()>>);

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take()
            && thread.join().is_err()
        {
            tracing::error!("a store thread panicked; its last writes were answered as not done");
        }
    }
}

/// Starts a thread for a connection. A plain thread and no task: SQLite blocks.
pub(super) fn start(
    name: &str,
    location: &Arc<str>,
    connection: Connection,
) -> Result<(mpsc::Sender<Job>, Worker), Error> {
    let (sender, jobs) = mpsc::channel(QUEUE);
    let place = Arc::clone(location);
    let thread = Builder::new()
        .name(name.to_owned())
        .spawn(move || serve(connection, jobs, &place))
        .map_err(|error| system(location, "start a store thread", error))?;
    Ok((sender, Worker(Some(thread))))
}

fn serve(mut connection: Connection, mut jobs: mpsc::Receiver<Job>, location: &str) {
    let mut group = Vec::new();
    while let Some(first) = jobs.blocking_recv() {
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                Job::Write(pending) => group.push(pending),
                Job::Read(question) => {
                    // A read sees what was written before it.
                    settle(&mut connection, location, &mut group);
                    question(&connection);
                }
            }
            next = if group.len() < GROUP { jobs.try_recv().ok() } else { None };
        }
        settle(&mut connection, location, &mut group);
    }
    if connection.is_readonly(MAIN_DB).is_ok_and(|read_only| !read_only) {
        fold_log(&connection, location);
    }
}

/// Moves the write-ahead log into the file, so that the file alone is the whole store. The log is as
/// durable as the file, so a failure costs nothing but that.
fn fold_log(connection: &Connection, location: &str) {
    if let Err(error) = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
        tracing::warn!(store = location, %error, "the write-ahead log stays beside the store");
    }
}

/// Commits a group and answers its waiters; a waiter that went away is no error.
fn settle(connection: &mut Connection, location: &str, group: &mut Vec<Pending>) {
    let writes: Vec<&Write> = group.iter().map(|pending| &pending.write).collect();
    let outcomes = commit(connection, location, &writes);
    for (pending, outcome) in group.drain(..).zip(outcomes) {
        let _gone = pending.reply.send(outcome);
    }
}

/// The outcome of each write, in order. A write that loses the group's transaction (a full disk,
/// for instance) must not fail its neighbours, so each is then tried alone.
fn commit(connection: &mut Connection, location: &str, writes: &[&Write]) -> Vec<Result<u64, Error>> {
    match (together(connection, location, writes), writes) {
        (Ok(outcomes), _) => outcomes,
        (Err(error), [write]) => vec![Err(translate(location, write.doing(), error))],
        (Err(_), writes) => writes.iter().flat_map(|&write| commit(connection, location, &[write])).collect(),
    }
}

fn together(
    connection: &mut Connection,
    location: &str,
    writes: &[&Write],
) -> Result<Vec<Result<u64, Error>>, rusqlite::Error> {
    if writes.is_empty() {
        return Ok(Vec::new());
    }
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut outcomes = Vec::with_capacity(writes.len());
    for write in writes {
        let savepoint = transaction.savepoint()?;
        let outcome = write.apply(&savepoint);
        match outcome {
            Ok(_) => savepoint.commit()?,
            // Some errors make SQLite roll back everything, the neighbours' work with it.
            Err(Fault::Sqlite(error)) if savepoint.is_autocommit() => return Err(error),
            Err(_) => savepoint.finish()?,
        }
        outcomes.push(outcome.map_err(|fault| fault.at(location, write.doing())));
    }
    transaction.commit()?;
    Ok(outcomes)
}
