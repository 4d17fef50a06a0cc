//! Dates and times as text.

use ludorum_lab::speed::machine::date;

/// A time in milliseconds since 1970 as `2024-05-01 13:45 UTC`.
pub(super) fn date_and_time(ms: u64) -> String {
    let minutes = ms / 60_000;
    let (days, minute) = (minutes / 1440, minutes % 1440);
    format!("{} {:02}:{:02} UTC", date(days), minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_in_utc() {
        assert_eq!(date_and_time(0), "1970-01-01 00:00 UTC");
        assert_eq!(date_and_time(1_700_000_000_000), "2023-11-14 22:13 UTC");
    }
}
