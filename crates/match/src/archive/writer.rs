//! The one thread that writes: [`Writer`].
//!
//! Many matches are played at once, and each waits until its step is safe on the disk before it
//! goes on. What arrives while the thread is busy is written in one transaction, so the disk is
//! waited for once for all of them and not once for each.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::error::ArchiveError;

/// The most jobs of one transaction.
const MOST: usize = 256;

/// Something to be written.
type Job = Box<dyn FnOnce(&Connection) -> Result<(), ArchiveError> + Send>;

type Answer = Result<(), ArchiveError>;

/// Hands jobs to the thread that writes. The thread ends when the last one is dropped and all was
/// written.
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

    /// One that writes nothing.
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

    /// Writes something and returns when it is safe on the disk, or when it failed and nothing of
    /// it was written.
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
            // It has answered everybody; how it ended is of no interest any more.
            let _ = thread.join();
        }
    }
}

/// Waits. A thread of a runtime leaves its other tasks to another thread meanwhile: those may have
/// something to be written too.
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
        while batch.len() < MOST
            && let Ok(next) = jobs.try_recv()
        {
            batch.push(next);
        }
        let (jobs, askers): (Vec<Job>, Vec<SyncSender<Answer>>) = batch.into_iter().unzip();
        let answers = commit(&mut connection, path, jobs);
        for (asker, answer) in askers.into_iter().zip(answers) {
            // Whoever does not wait any more does not need the answer.
            let _ = asker.send(answer);
        }
    }
}

/// Runs jobs in one transaction, each in a savepoint of its own: one that fails takes nothing of
/// the others with it.
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
        // Nothing was written. The first gets the error itself, for it cannot be copied.
        let text = error.to_string();
        let mut answers = vec![Err(error)];
        answers.resize_with(count, || Err(ArchiveError::damaged(path, text.clone())));
        answers
    })
}
