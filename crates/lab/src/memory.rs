//! How much memory the process takes, as Linux tells it.

/// Starts counting the peak anew, where the system can.
pub fn reset_peak() {
    // Documented in proc(5): 5 resets the peak of the resident set. Elsewhere the file does not
    // exist.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak of the resident set in bytes, where the system tells.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
