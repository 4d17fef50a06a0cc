//! Signal handling for Ctrl-C and SIGTERM, and the asynchronous runtime of commands that use the
//! network.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ludorum_match::CancellationToken;
use tokio::runtime::Runtime;

use crate::outcome::Failure;

/// Worker threads of the runtime; searches have their own threads.
const THREADS: usize = 2;

/// The runtime of a command.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build();
    runtime.map_err(|error| Failure::input(format!("no thread could be started: {error}")))
}

/// Cancels at the first signal; the second one ends the program at once. Must be called inside the
/// runtime.
pub(crate) fn cancel_on_signal(cancel: CancellationToken) {
    // Without handlers the default action of the system applies.
    let Ok(mut signals) = Signals::new() else {
        return;
    };
    tokio::spawn(async move {
        signals.next().await;
        cancel.cancel();
        signals.next().await;
        std::process::exit(130);
    });
}

/// The same for work without a runtime: the first signal sets `stop`, and the flag that is
/// returned, which only signals set.
pub(crate) fn set_on_signal(stop: &Arc<AtomicBool>) -> Arc<AtomicBool> {
    let signalled = Arc::new(AtomicBool::new(false));
    let (stop, seen) = (Arc::clone(stop), Arc::clone(&signalled));
    let install = || -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let mut signals = {
            let _inside = runtime.enter();
            Signals::new()?
        };
        let wait = async move {
            signals.next().await;
            seen.store(true, Ordering::Release);
            stop.store(true, Ordering::Release);
            signals.next().await;
            std::process::exit(130);
        };
        let thread = std::thread::Builder::new().name("signals".to_owned());
        thread.spawn(move || runtime.block_on(wait))?;
        Ok(())
    };
    if let Err(error) = install() {
        // Without handlers the default action of the system applies.
        tracing::debug!("signals are not handled: {error}");
    }
    signalled
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[allow(clippy::unnecessary_wraps)] // as on other systems
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
