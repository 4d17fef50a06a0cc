//! Prometheus metrics of the arena.

use ludorum_match::metrics::MetricSet;
use prometheus::{HistogramVec, IntCounterVec, IntGauge};

/// The metrics of an arena.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    all: MetricSet,
    /// Requests, by route and status.
    pub(crate) requests: IntCounterVec,
    /// Response times, by route.
    pub(crate) seconds: HistogramVec,
    /// Matches, by event: started, ended, broken.
    pub(crate) matches: IntCounterVec,
    /// Running matches.
    pub(crate) playing: IntGauge,
    /// Connected watchers.
    pub(crate) watchers: IntGauge,
}

impl Metrics {
    pub(crate) fn new() -> Result<Self, prometheus::Error> {
        let all = MetricSet::new("ludorum_arena");
        Ok(Self {
            requests: all.counters(
                "requests_total",
                "Requests by route and status.",
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

    /// Counts an event of a match.
    pub(crate) fn match_event(&self, event: &str) {
        self.matches.with_label_values(&[event]).inc();
    }

    /// All metrics in Prometheus text format.
    pub(crate) fn text(&self) -> String {
        self.all.text()
    }
}
