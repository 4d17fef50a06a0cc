/*!
The allocator of the `ludorum` command, and its housekeeping.

A search makes and drops small blocks by the hundred thousand every second, on several threads, and
a compiler of networks fills and drops hundreds of megabytes. mimalloc is quick at both, with two
habits that a player with a clock cannot afford:

- It asks for huge pages. The first touch of one clears two megabytes, and on a virtual machine
  whose host has to find them first, that one touch was seen to take 70 ms. The process does without
  them, also where the system gives them unasked.
- What was freed goes back to the system about a second later, by the hand of whichever thread
  happens to allocate or free then: tens of milliseconds where a compiler has just dropped its work,
  maybe in the thread that is to give an answer. [`keep_house`] has it given back in a thread that
  nobody waits for, and less often: what is used again soon need not come from the system again.

A program chooses this allocator by calling [`keep_house`], first of all; no library of the
workspace depends on it.

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
/// So long it would be kept by mimalloc itself, in milliseconds: much longer than that.
/// `MIMALLOC_PURGE_DELAY` says otherwise.
const KEPT: c_long = 60_000;
/// mimalloc's number of that setting, for which its crate has no name.
const PURGE_DELAY: mi_option_t = 15;

/// Gives freed memory back to the system from now on, in a thread of its own, and does without huge
/// pages.
pub fn keep_house() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        // Processes that are started from here do without them as well. Where the system knows no
        // such setting, there is nothing to set.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::disable_transparent_huge_pages(true);
        let before = delay();
        keep_what_is_freed();
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

/// So long mimalloc keeps freed memory, in milliseconds.
fn delay() -> c_long {
    // SAFETY: settings are numbers.
    unsafe { mi_option_get(PURGE_DELAY) }
}

/// Has mimalloc keep freed memory until it is given back, unless the user has said otherwise.
fn keep_what_is_freed() {
    // SAFETY: settings are numbers; nobody else sets them.
    unsafe { mi_option_set_default(PURGE_DELAY, KEPT) };
}

/// Gives back what is free.
fn give_back() {
    // SAFETY: any thread may call these at any time. A thread that has never allocated has to be
    // known first: for others nothing is done.
    unsafe {
        mi_thread_init();
        mi_collect(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    const MUCH: u64 = 256 << 20;

    /// The memory that the process takes, in bytes.
    #[cfg(target_os = "linux")]
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        kilobytes.unwrap().parse::<u64>().unwrap() << 10
    }

    /// The number of the setting is not part of what the crate promises; if another version has
    /// another setting there, the first lines tell. The housekeeper begins in the end: on a stalled
    /// machine it might come between.
    #[test]
    fn what_is_freed_is_kept_until_it_is_given_back_by_any_thread() {
        let is_usual = std::env::var_os("MIMALLOC_PURGE_DELAY").is_none();
        let before = delay();
        if is_usual {
            assert_eq!(before, 1000, "the second that mimalloc keeps freed memory");
        }
        keep_what_is_freed();
        assert_eq!(delay(), if is_usual { KEPT } else { before });
        #[cfg(target_os = "linux")]
        {
            let much = std::hint::black_box(vec![1_u8; MUCH as usize]);
            let full = resident();
            assert!(full > MUCH);
            drop(much);
            if is_usual {
                assert!(resident() > MUCH, "it is given back later");
            }
            // A thread that has allocated nothing of its own.
            thread::spawn(give_back).join().unwrap();
            let rest = resident();
            assert!(rest < full - MUCH / 2, "{rest} of {full} bytes");
        }
        keep_house();
        keep_house();
        assert_eq!(delay(), if is_usual { KEPT } else { before });
        #[cfg(target_os = "linux")]
        assert!(rustix::thread::transparent_huge_pages_are_disabled().unwrap());
    }
}
