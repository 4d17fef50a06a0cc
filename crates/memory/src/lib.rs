/*!
The allocator of the `ludorum` command: mimalloc, with a thread that returns unused memory.

A search allocates and frees hundreds of thousands of small blocks a second on several threads, and
the compiler of networks allocates and frees hundreds of megabytes. mimalloc is fast at both, but
two of its defaults cost too much in a player with a clock:

- It uses huge pages. The first write to one clears 2 MiB. On a virtual machine this took up to
  70 ms. [`install_allocator`] turns transparent huge pages off for the process.
- About a second after memory was freed, the next thread that allocates returns it to the system.
  This takes tens of milliseconds after the compiler has freed its work, and the thread may be one
  that must answer. [`install_allocator`] starts a thread that returns memory instead, less often,
  so that memory that is used again soon is kept.

Linking this crate makes mimalloc the global allocator. Only programs depend on it, no library does.
A program calls [`install_allocator`] first.

```
ludorum_memory::install_allocator();
let block = vec![1_u8; 1 << 20];
drop(block); // returned to the system within some seconds
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

/// Interval at which unused memory is returned to the system.
const PURGE_INTERVAL: Duration = Duration::from_secs(5);
/// Delay in milliseconds after which mimalloc itself returns freed memory: far above
/// [`PURGE_INTERVAL`]. The environment variable `MIMALLOC_PURGE_DELAY` overrides it.
const PURGE_DELAY_MS: c_long = 60_000;
/// Number of mimalloc's option `purge_delay`, for which the bindings have no name.
const PURGE_DELAY_OPTION: mi_option_t = 15;

/// Starts the thread that returns unused memory and turns transparent huge pages off. Calls after
/// the first have no effect.
pub fn install_allocator() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // Child processes inherit the setting. An error means that the system does not have it.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::disable_transparent_huge_pages(true);
        let before = purge_delay();
        set_purge_delay();
        let builder = thread::Builder::new().name("memory-purge".to_owned());
        let purging = builder.spawn(|| {
            loop {
                thread::sleep(PURGE_INTERVAL);
                purge();
            }
        });
        if purging.is_err() {
            // SAFETY: options are plain numbers. Without the thread, mimalloc keeps its default.
            unsafe { mi_option_set(PURGE_DELAY_OPTION, before) };
        }
    });
}

/// mimalloc's delay in milliseconds before it returns freed memory.
fn purge_delay() -> c_long {
    // SAFETY: options are plain numbers.
    unsafe { mi_option_get(PURGE_DELAY_OPTION) }
}

/// Sets the delay to [`PURGE_DELAY_MS`], unless the environment has set it.
fn set_purge_delay() {
    // SAFETY: options are plain numbers, and no other code sets them.
    unsafe { mi_option_set_default(PURGE_DELAY_OPTION, PURGE_DELAY_MS) };
}

/// Returns all unused memory to the system.
fn purge() {
    // SAFETY: any thread may call these at any time. `mi_collect` does nothing in a thread that
    // mimalloc has not initialised.
    unsafe {
        mi_thread_init();
        mi_collect(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Size of the block that the test frees, in bytes.
    #[cfg(target_os = "linux")]
    const BLOCK: u64 = 256 << 20;

    /// Resident set size of the process, in bytes.
    #[cfg(target_os = "linux")]
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        kilobytes.unwrap().parse::<u64>().unwrap() << 10
    }

    /// The option's number is not part of what the bindings promise: the first assertion fails when
    /// it changes. The purging thread starts last, so that it cannot run between two assertions.
    #[test]
    fn freed_memory_is_kept_until_any_thread_purges_it() {
        let is_default = std::env::var_os("MIMALLOC_PURGE_DELAY").is_none();
        let before = purge_delay();
        if is_default {
            assert_eq!(before, 1000, "mimalloc's default delay");
        }
        set_purge_delay();
        assert_eq!(
            purge_delay(),
            if is_default { PURGE_DELAY_MS } else { before }
        );
        #[cfg(target_os = "linux")]
        {
            let block = std::hint::black_box(vec![1_u8; BLOCK as usize]);
            let full = resident();
            assert!(full > BLOCK);
            drop(block);
            if is_default {
                assert!(resident() > BLOCK, "memory is returned later");
            }
            // A thread that has not allocated anything.
            thread::spawn(purge).join().unwrap();
            let rest = resident();
            assert!(rest < full - BLOCK / 2, "{rest} of {full} bytes");
        }
        install_allocator();
        install_allocator();
        assert_eq!(
            purge_delay(),
            if is_default { PURGE_DELAY_MS } else { before }
        );
        #[cfg(target_os = "linux")]
        assert!(rustix::thread::transparent_huge_pages_are_disabled().unwrap());
    }
}
