//! The machine and the date of a measurement.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::thread_pool;

/// The hardware and the operating system in one line: processor, number of cores, memory.
pub fn description() -> String {
    let processor = processor().unwrap_or_else(|| "unknown processor".to_owned());
    let cores = thread_pool::cores().get();
    let memory = memory_gib().map_or(String::new(), |gib| format!(", {gib} GiB"));
    let features = features();
    format!(
        "{processor}, {cores} {}{memory}, {} {}{features}",
        if cores == 1 { "core" } else { "cores" },
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

/// A sentence about a baseline that was measured elsewhere. `elsewhere` describes that machine, if
/// it is known. Two machines count as equal only if the processor has the same name.
pub fn comparison_note(elsewhere: Option<&str>) -> String {
    compared(elsewhere, processor().as_deref())
}

fn compared(elsewhere: Option<&str>, here: Option<&str>) -> String {
    let differ = "rates of different machines can differ by a factor of two and more";
    match (elsewhere, here) {
        (Some(there), Some(here)) if !here.is_empty() && there.contains(here) => {
            format!(
                "They were measured on {there}, by its name the same kind of processor as ours."
            )
        }
        (Some(there), _) => {
            format!(
                "They were measured on {there}, which may be another machine than ours: {differ}."
            )
        }
        (None, _) => format!(
            "Their source says what they were measured on; it may be another machine than \
             ours: {differ}."
        ),
    }
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn memory_gib() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some((kilobytes + (1 << 19)) >> 20)
}

#[cfg(target_arch = "x86_64")]
fn features() -> String {
    let mut found = Vec::new();
    if std::arch::is_x86_feature_detected!("avx2") {
        found.push("AVX2");
    }
    if std::arch::is_x86_feature_detected!("avx512f") {
        found.push("AVX-512");
    }
    if found.is_empty() {
        String::new()
    } else {
        format!(" with {}", found.join(", "))
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> String {
    String::new()
}

/// The load average over one minute, where the system reports it. Measurements on a busy machine
/// are less reliable.
pub fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// The current date in UTC, such as 2026-01-31.
pub fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    date(seconds / 86_400)
}

/// Converts days since 1970-01-01 to a date, after H. Hinnant's `civil_from_days`. Years start in
/// March, so that the leap day is the last day of its year.
pub fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_converted_to_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_454, "2026-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn machines_are_equal_only_if_both_processors_are_known() {
        let same = compared(Some("a Xeon 5, 2 cores"), Some("Xeon 5"));
        assert!(same.contains("the same kind"), "{same}");
        for (there, here) in [
            (Some("an EPYC"), Some("Xeon 5")),
            (Some("an EPYC"), None),
            (None, Some("Xeon 5")),
            (None, None),
        ] {
            let text = compared(there, here);
            assert!(text.contains("different machines"), "{text}");
            assert_eq!(text.contains("EPYC"), there.is_some(), "{text}");
        }
    }

    #[test]
    fn the_machine_is_described_in_one_line() {
        let text = description();
        assert!(text.contains("core") && !text.contains('\n'), "{text}");
    }
}
