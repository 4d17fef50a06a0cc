//! Ctrl-C, for work whose results so far are worth having.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the flag when the person presses Ctrl-C, and the one that is returned, which nobody else sets. The second time the process ends at once.
pub(crate) fn listen(stop: &Arc<AtomicBool>) -> Arc<AtomicBool> {
    let pressed = Arc::new(AtomicBool::new(false));
    let (stop, seen) = (Arc::clone(stop), Arc::clone(&pressed));
    let listening = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::AcqRel) {
            std::process::exit(130);
        }
        stop.store(true, Ordering::Release);
    });
    if let Err(error) = listening {
        // Then Ctrl-C does what it always did.
        tracing::debug!("nobody listens for Ctrl-C: {error}");
    }
    pressed
}
