//! What an arena counts, in the format of Prometheus.

use ludorum_match::metrics::MetricSet;
use prometheus::{HistogramVec, IntCounterVec, IntGauge};

/// The counters of an arena.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    all: MetricSet,
    /// Requests, by what was asked for and how it was answered.
    pub(crate) requests: IntCounterVec,
    /// How long answers took, by what was asked for.
    pub(crate) seconds: HistogramVec,
    /// Matches, by what happened to them: started, ended, broken.
    pub(crate) matches: IntCounterVec,
    /// Matches that are being played.
    pub(crate) playing: IntGauge,
    /// People who watch.
    pub(crate) watchers: IntGauge,
}

impl Metrics {
    pub(crate) fn new() -> Result<Self, prometheus::Error> {
        let all = MetricSet::new("ludorum_arena");
        Ok(Self {
            requests: all.counters(
                "requests_total",
                "Requests, by what was asked for and how it was answered.",
                &["route", "status"],
            )?,
            seconds: all.histograms(
                "request_seconds",
                "How long answers took.",
                &[0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0],
                &["route"],
            )?,
            matches: all.counters(
                "matches_total",
                "Matches, by what happened to them.",
                &["event"],
            )?,
            playing: all.gauge("matches", "Matches that are being played.")?,
            watchers: all.gauge("watchers", "People who watch.")?,
            all,
        })
    }

    /// Counts an event in the life of a match.
    pub(crate) fn match_event(&self, event: &str) {
        self.matches.with_label_values(&[event]).inc();
    }

    /// All of it as text.
    pub(crate) fn text(&self) -> String {
        self.all.text()
    }
}
