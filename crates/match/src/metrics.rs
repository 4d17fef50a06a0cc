//! Prometheus metrics for all servers: [`MetricSet`] creates them with a common name prefix.

use prometheus::core::Collector;
use prometheus::{
    Encoder as _, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    Opts, Registry, TextEncoder,
};

/// Creates and exports metrics.
#[derive(Clone, Debug)]
pub struct MetricSet {
    registry: Registry,
    /// Prefix of all metric names.
    prefix: &'static str,
}

impl MetricSet {
    /// An empty set.
    pub fn new(prefix: &'static str) -> Self {
        Self {
            registry: Registry::new(),
            prefix,
        }
    }

    fn name(&self, short: &str) -> String {
        format!("{}_{short}", self.prefix)
    }

    fn register<C: Collector + Clone + 'static>(&self, counter: C) -> Result<C, prometheus::Error> {
        self.registry.register(Box::new(counter.clone()))?;
        Ok(counter)
    }

    /// A counter.
    pub fn counter(&self, short: &str, help: &str) -> Result<IntCounter, prometheus::Error> {
        self.register(IntCounter::new(self.name(short), help)?)
    }

    /// A counter for each combination of labels.
    pub fn counters(
        &self,
        short: &str,
        help: &str,
        labels: &[&str],
    ) -> Result<IntCounterVec, prometheus::Error> {
        let options = Opts::new(self.name(short), help);
        self.register(IntCounterVec::new(options, labels)?)
    }

    /// A gauge.
    pub fn gauge(&self, short: &str, help: &str) -> Result<IntGauge, prometheus::Error> {
        self.register(IntGauge::new(self.name(short), help)?)
    }

    fn times(&self, short: &str, help: &str, buckets: &[f64]) -> HistogramOpts {
        HistogramOpts::new(self.name(short), help).buckets(buckets.to_vec())
    }

    /// A histogram of durations.
    pub fn histogram(
        &self,
        short: &str,
        help: &str,
        buckets: &[f64],
    ) -> Result<Histogram, prometheus::Error> {
        let options = self.times(short, help, buckets);
        self.register(Histogram::with_opts(options)?)
    }

    /// The same for each combination of labels.
    pub fn histograms(
        &self,
        short: &str,
        help: &str,
        buckets: &[f64],
        labels: &[&str],
    ) -> Result<HistogramVec, prometheus::Error> {
        let options = self.times(short, help, buckets);
        self.register(HistogramVec::new(options, labels)?)
    }

    /// All metrics in Prometheus text format.
    pub fn text(&self) -> String {
        let mut bytes = Vec::new();
        let encoded = TextEncoder::new().encode(&self.registry.gather(), &mut bytes);
        if let Err(error) = encoded {
            tracing::warn!(%error, "the metrics cannot be written");
        }
        String::from_utf8(bytes).unwrap_or_default()
    }
}
