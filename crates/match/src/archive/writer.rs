//! The writer thread of an archive, with group commit: [`Writer`].
//!
//! Each of many concurrent matches waits until its step is on the disk. Jobs that arrive while the
//! thread is busy are committed in one transaction, so the disk is synchronised once for all of
//! them.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::error::ArchiveError;

/// Limit on jobs in one transaction.
const MAX_BATCH: usize = 256;

/// A job for the writer thread.
type Job = Box<dyn FnOnce(&Connection) -> Result<(), ArchiveError> + Send>;

type Answer = Result<(), ArchiveError>;

/// Sends jobs to the writer thread. The thread ends when the writer is dropped and all jobs are
/// done.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    jobs: Option<Sender<(Job, SyncSender<Answer>)>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(connection: Connection, path: &Path) -> Result<Self, ArchiveError> {
        let (jobs, receiver) = channel();
        let own = path.to_owned();
        let thread = std::thread::Builder::new()
            .name("archive".to_owned())
            .spawn(move || write(connection, &own, &receiver))
            .map_err(|error| ArchiveError::damaged(path, error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// A writer of a read-only archive.
    pub(super) fn closed(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            jobs: None,
            thread: None,
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a job and returns when its effects are on the disk, or when it failed and had no
    /// effect.
    pub(super) fn write(
        &self,
        job: impl FnOnce(&Connection) -> Result<(), ArchiveError> + Send + 'static,
    ) -> Answer {
        let (answer, answered) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or(ArchiveError::Closed)?;
        let job: Job = Box::new(job);
        jobs.send((job, answer)).map_err(|_| ArchiveError::Closed)?;
        wait(|| answered.recv()).unwrap_or(Err(ArchiveError::Closed))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // All jobs have been answered; a panic now has no consequence.
            let _ = thread.join();
        }
    }
}

/// Blocks on the thread. On a multi-threaded runtime the worker's other tasks are moved to another
/// worker, because they may have jobs of their own.
fn wait<T>(work: impl FnOnce() -> T) -> T {
    let runtime = Handle::try_current().map(|handle| handle.runtime_flavor());
    match runtime {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

fn write(mut connection: Connection, path: &Path, jobs: &Receiver<(Job, SyncSender<Answer>)>) {
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        while batch.len() < MAX_BATCH
            && let Ok(next) = jobs.try_recv()
        {
            batch.push(next);
        }
        let (jobs, askers): (Vec<Job>, Vec<SyncSender<Answer>>) = batch.into_iter().unzip();
        let answers = commit(&mut connection, path, jobs);
        for (asker, answer) in askers.into_iter().zip(answers) {
            // The receiver may be gone.
            let _ = asker.send(answer);
        }
    }
}

/// Runs jobs in one transaction, each in its own savepoint, so that a failing job does not affect
/// the others.
fn commit(connection: &mut Connection, path: &Path, jobs: Vec<Job>) -> Vec<Answer> {
    let count = jobs.len();
    let failed = |error| ArchiveError::database(path, error);
    let run = || -> Result<Vec<Answer>, ArchiveError> {
        let behavior = TransactionBehavior::Immediate;
        let mut transaction = connection
            .transaction_with_behavior(behavior)
            .map_err(failed)?;
        let mut answers = Vec::with_capacity(count);
        for job in jobs {
            let savepoint = transaction.savepoint().map_err(failed)?;
            // A savepoint that is dropped is rolled back.
            let answer = job(&savepoint);
            if answer.is_ok() {
                savepoint.commit().map_err(failed)?;
            } else {
                drop(savepoint);
            }
            answers.push(answer);
        }
        transaction.commit().map_err(failed)?;
        Ok(answers)
    };
    run().unwrap_or_else(|error| {
        // Nothing was written. The first job gets the error itself, because it cannot be cloned.
        let text = error.to_string();
        let mut answers = vec![Err(error)];
        answers.resize_with(count, || Err(ArchiveError::damaged(path, text.clone())));
        answers
    })
}
