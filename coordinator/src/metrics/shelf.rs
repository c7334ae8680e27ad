//! How metrics are defined: each with its name, its help and its labels, in one registry.

use prometheus::{
    CounterVec, GaugeVec, Histogram, HistogramOpts, IntCounterVec, IntGaugeVec, Opts, Registry,
    core::Collector,
};

use crate::error::Error;

/// The registry of one coordinator. Never the process's global one.
#[derive(Clone, Default)]
pub(super) struct Shelf(Registry);

impl Shelf {
    pub(super) fn registry(&self) -> &Registry {
        &self.0
    }

    fn put<C: Collector + Clone + 'static>(&self, made: prometheus::Result<C>) -> Result<C, Error> {
        let metric = made.map_err(|source| Error::Metrics { source })?;
        self.0.register(Box::new(metric.clone())).map_err(|source| Error::Metrics { source })?;
        Ok(metric)
    }

    pub(super) fn counter(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, Error> {
        self.put(IntCounterVec::new(Opts::new(name, help), labels))
    }

    /// A counter of seconds or dollars.
    pub(super) fn amount(&self, name: &str, help: &str, labels: &[&str]) -> Result<CounterVec, Error> {
        self.put(CounterVec::new(Opts::new(name, help), labels))
    }

    pub(super) fn gauge(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec, Error> {
        self.put(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    /// A gauge of dollars.
    pub(super) fn level(&self, name: &str, help: &str, labels: &[&str]) -> Result<GaugeVec, Error> {
        self.put(GaugeVec::new(Opts::new(name, help), labels))
    }

    pub(super) fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Result<Histogram, Error> {
        self.put(Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec())))
    }
}
