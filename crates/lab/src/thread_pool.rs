//! Runs independent jobs on a fixed number of threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The available parallelism of the machine, at least 1.
pub fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Runs `work` on every item with `threads` worker threads. Each result is passed to `done` on the
/// calling thread as it arrives. The results are returned in the order of the items.
pub fn run<I: Sync, O: Send>(
    items: &[I],
    threads: NonZeroUsize,
    work: impl Fn(&I) -> O + Sync,
    mut done: impl FnMut(&I, &O),
) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut results: Vec<Option<O>> = Vec::new();
    results.resize_with(items.len(), || None);
    thread::scope(|scope| {
        for _ in 0..threads.get().min(items.len()) {
            let sender = sender.clone();
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    if sender.send((i, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (i, result) in receiver {
            done(&items[i], &result);
            results[i] = Some(result);
        }
    });
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        let mut seen = 0;
        let threads = NonZeroUsize::new(3).unwrap();
        let squares = run(&items, threads, |i| i * i, |_, _| seen += 1);
        assert_eq!(seen, 100);
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(i, s)| *s as usize == i * i)
        );
    }
}
