//! The HTTP/1 accept loop of all servers, with graceful shutdown: [`serve`].

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Limit on open connections.
const MAX_CONNECTIONS: usize = 1024;
/// Time limit of receiving the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// At shutdown, pending answers are waited for this long.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
/// After `on_slow_shutdown` was called, the remaining answers are waited for this long.
const FINAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves requests until `stop` is cancelled, then waits some seconds for pending answers.
/// Connections are limited in number, and each must send its request head in time.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    serve_with_shutdown(listener, router, stop, || {}).await;
}

/// The same; `on_slow_shutdown` is called if answers are still pending after [`SHUTDOWN_TIMEOUT`].
pub(crate) async fn serve_with_shutdown(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
    on_slow_shutdown: impl FnOnce(),
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        // Simple clients close their sending side after the request.
        .half_close(true);
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let accept = async {
            let permit = Arc::clone(&connections).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = accept => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Usually too many open files: connections that end make room.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        // Answers are short and urgent: do not wait to fill packets.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke");
            }
            drop(permit);
        });
    }
    drop(listener);
    let mut answers = std::pin::pin!(graceful.shutdown());
    if timeout(SHUTDOWN_TIMEOUT, &mut answers).await.is_err() {
        on_slow_shutdown();
        if timeout(FINAL_TIMEOUT, answers).await.is_err() {
            tracing::warn!("some answers were still on their way");
        }
    }
}
