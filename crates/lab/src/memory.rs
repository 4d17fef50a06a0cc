//! Peak memory of this process, from Linux's `/proc`.

/// Resets the peak of the resident set size where the system supports it.
pub fn reset_peak() {
    // See proc(5): writing 5 resets the peak resident set size. The file exists on Linux only.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak resident set size in bytes, where the system reports it.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
