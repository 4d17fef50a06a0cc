/*!
The allocator of the `ludorum` command, and its housekeeping.

A search makes and drops small blocks by the hundred thousand every second, on several threads, and a compiler of networks fills and drops
hundreds of megabytes. mimalloc is quick at both, with two habits that a player with a clock cannot afford:

- It asks for huge pages. The first touch of one clears two megabytes, and on a virtual machine whose host has to find them first, that one
  touch was seen to take 70 ms. The process does without them, also where the system gives them unasked.
- What was freed goes back to the system about a second later, by the hand of whichever thread happens to allocate or free then: tens of
  milliseconds where a compiler has just dropped its work, maybe in the thread that is to give an answer. [`keep_house`] has it given back
  in a thread that nobody waits for, and less often: what is used again soon need not come from the system again.

A program chooses this allocator by calling [`keep_house`], first of all; no library of the workspace depends on it.

```
ludorum_memory::keep_house();
let much = vec![1_u8; 1 << 20];
drop(much); // the system has it back in some seconds
```
*/

use std::ffi::c_long;
use std::sync::Once;
use std::thread;
use std::time::Duration;

use libmimalloc_sys::{
    mi_collect, mi_option_get, mi_option_set, mi_option_set_default, mi_option_t, mi_thread_init,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often freed memory is given back.
const EVERY: Duration = Duration::from_secs(5);
/// So long it would be kept by mimalloc itself, in milliseconds: much longer than that. `MIMALLOC_PURGE_DELAY` says otherwise.
const KEPT: c_long = 60_000;
/// mimalloc's number of that setting, for which its crate has no name.
const PURGE_DELAY: mi_option_t = 15;

/// Gives freed memory back to the system from now on, in a thread of its own, and does without huge pages.
pub fn keep_house() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        // Processes that are started from here do without them as well. Where the system knows no such setting, there is nothing to set.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::disable_transparent_huge_pages(true);
        // SAFETY: settings are numbers; nobody else sets them.
        let before = unsafe { mi_option_get(PURGE_DELAY) };
        // SAFETY: the same, and what the user has set stays.
        unsafe { mi_option_set_default(PURGE_DELAY, KEPT) };
        let house = thread::Builder::new().name("housekeeper".to_owned());
        let keeping = house.spawn(|| {
            loop {
                thread::sleep(EVERY);
                give_back();
            }
        });
        if keeping.is_err() {
            // SAFETY: as above. mimalloc is left to its habit.
            unsafe { mi_option_set(PURGE_DELAY, before) };
        }
    });
}

/// Gives back what is free.
fn give_back() {
    // SAFETY: any thread may call these at any time. A thread that has never allocated has to be known first: for others nothing is done.
    unsafe {
        mi_thread_init();
        mi_collect(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay() -> c_long {
        // SAFETY: settings are numbers.
        unsafe { mi_option_get(PURGE_DELAY) }
    }

    #[cfg(target_os = "linux")]
    const MUCH: usize = 256 << 20;

    /// The memory that the process takes, in bytes.
    #[cfg(target_os = "linux")]
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
        pages * rustix::param::page_size() as u64
    }

    /// The number is not part of what the crate promises; if another version has another setting there, the first lines tell.
    #[test]
    fn what_is_freed_is_kept_until_it_is_given_back_by_any_thread() {
        let usual = if std::env::var_os("MIMALLOC_PURGE_DELAY").is_some() {
            delay()
        } else {
            assert_eq!(delay(), 1000, "the second that mimalloc keeps freed memory");
            KEPT
        };
        keep_house();
        keep_house();
        assert_eq!(delay(), usual);
        #[cfg(target_os = "linux")]
        {
            assert!(rustix::thread::transparent_huge_pages_are_disabled().unwrap());
            let much = std::hint::black_box(vec![1_u8; MUCH]);
            let full = resident();
            assert!(full > MUCH as u64);
            drop(much);
            if usual == KEPT {
                assert!(resident() > MUCH as u64, "it is given back later");
            }
            // A thread that has allocated nothing of its own.
            thread::spawn(give_back).join().unwrap();
            let rest = resident();
            assert!(rest < full - MUCH as u64 / 2, "{rest} of {full} bytes");
        }
    }
}
