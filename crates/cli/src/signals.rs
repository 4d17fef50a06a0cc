//! What commands need that wait for the network: a runtime, and an ear for Ctrl-C and requests to end.

use ludorum_match::CancellationToken;
use tokio::runtime::Runtime;

use crate::outcome::Failure;

/// Threads that wait for the network; whoever thinks has threads of its own.
const THREADS: usize = 2;

/// A runtime for a command.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build();
    runtime.map_err(|error| Failure::input(format!("no thread could be started: {error}")))
}

/// Cancels at the first signal that asks the program to end; the second ends it at once.
pub(crate) async fn cancel_on_signal(cancel: CancellationToken) {
    signal().await;
    cancel.cancel();
    signal().await;
    std::process::exit(130);
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        // Without them the program ends as the system has it.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
