//! What an arena counts, in the format of Prometheus.

use prometheus::{
    Encoder as _, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
};

/// The counters of an arena.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    registry: Registry,
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
        let registry = Registry::new();
        let name = |name: &str| format!("ludorum_arena_{name}");
        let counter = |short: &str, help: &str, labels: &[&str]| -> Result<_, prometheus::Error> {
            let counter = IntCounterVec::new(Opts::new(name(short), help), labels)?;
            registry.register(Box::new(counter.clone()))?;
            Ok(counter)
        };
        let gauge = |short: &str, help: &str| -> Result<_, prometheus::Error> {
            let gauge = IntGauge::new(name(short), help)?;
            registry.register(Box::new(gauge.clone()))?;
            Ok(gauge)
        };
        let times = HistogramOpts::new(name("request_seconds"), "How long answers took.");
        let times = times.buckets(vec![0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0]);
        let seconds = HistogramVec::new(times, &["route"])?;
        registry.register(Box::new(seconds.clone()))?;
        Ok(Self {
            requests: counter(
                "requests_total",
                "Requests, by what was asked for and how it was answered.",
                &["route", "status"],
            )?,
            seconds,
            matches: counter(
                "matches_total",
                "Matches, by what happened to them.",
                &["event"],
            )?,
            playing: gauge("matches", "Matches that are being played.")?,
            watchers: gauge("watchers", "People who watch.")?,
            registry,
        })
    }

    /// Counts an event in the life of a match.
    pub(crate) fn match_event(&self, event: &str) {
        self.matches.with_label_values(&[event]).inc();
    }

    /// All of it as text.
    pub(crate) fn text(&self) -> String {
        let mut bytes = Vec::new();
        let encoded = TextEncoder::new().encode(&self.registry.gather(), &mut bytes);
        if let Err(error) = encoded {
            tracing::warn!(%error, "the metrics cannot be written");
        }
        String::from_utf8(bytes).unwrap_or_default()
    }
}
