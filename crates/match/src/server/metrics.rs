//! Prometheus metrics of the player server.

use prometheus::{Histogram, IntCounter, IntCounterVec, IntGauge};

use crate::metrics::MetricSet;

/// The metrics of a player server.
#[derive(Clone, Debug)]
pub(super) struct Metrics {
    all: MetricSet,
    /// Messages received, by type.
    pub(super) messages: IntCounterVec,
    /// Matches, by event: started, stopped, aborted, abandoned, refused, broken, replaced.
    pub(super) matches: IntCounterVec,
    /// Running matches.
    pub(super) playing: IntGauge,
    /// Response times of PLAY messages.
    pub(super) answer_seconds: Histogram,
    /// PLAY messages that were not answered in time.
    pub(super) late: IntCounter,
    /// Answers in whose place the game manager played another move.
    pub(super) replaced: IntCounter,
    /// States found again after messages that did not fit, by certainty.
    pub(super) recoveries: IntCounterVec,
    /// Safety margin of a ten-second clock, in milliseconds.
    pub(super) margin: IntGauge,
}

impl Metrics {
    pub(super) fn new() -> Result<Self, prometheus::Error> {
        let all = MetricSet::new("ludorum_player");
        Ok(Self {
            messages: all.counters(
                "messages_total",
                "Messages, by their first word.",
                &["message"],
            )?,
            matches: all.counters("matches_total", "Matches, by how they went.", &["event"])?,
            playing: all.gauge("matches", "Matches that are being played.")?,
            answer_seconds: all.histogram(
                "answer_seconds",
                "How long answers to PLAY took, in seconds.",
                &[
                    0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 300.0,
                ],
            )?,
            late: all.counter("late_answers_total", "Answers that were not ready in time.")?,
            replaced: all.counter(
                "replaced_moves_total",
                "Moves of ours in whose place another was played.",
            )?,
            recoveries: all.counters(
                "recoveries_total",
                "Positions found again after messages that did not fit.",
                &["certainty"],
            )?,
            margin: all.gauge(
                "margin_milliseconds",
                "The time kept back of a clock of ten seconds.",
            )?,
            all,
        })
    }

    /// Counts an event of a match.
    pub(super) fn match_event(&self, event: &str) {
        self.matches.with_label_values(&[event]).inc();
    }

    /// All metrics in Prometheus text format.
    pub(super) fn text(&self) -> String {
        self.all.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_shown_in_the_format_of_prometheus() {
        let metrics = Metrics::new().unwrap();
        metrics.messages.with_label_values(&["PLAY"]).inc();
        metrics.match_event("started");
        metrics.answer_seconds.observe(0.3);
        let text = metrics.text();
        for line in [
            "# TYPE ludorum_player_messages_total counter",
            "ludorum_player_messages_total{message=\"PLAY\"} 1",
            "ludorum_player_matches_total{event=\"started\"} 1",
            "ludorum_player_answer_seconds_bucket{le=\"0.5\"} 1",
            "ludorum_player_matches 0",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }
}
