//! What a container may take.

/// Limits of one environment's container, enforced by the kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContainerLimits {
    /// Memory in bytes, its temporary files included; there is no swap beyond it.
    pub memory: u64,
    /// Processors, as a share of time: 0.5 is half of one.
    pub cpus: f64,
    /// Processes and threads.
    pub processes: u32,
    /// Temporary files in bytes.
    pub temporary: u64,
}

impl Default for ContainerLimits {
    /// Room for the benchmarks that there are, with their data in memory.
    fn default() -> Self {
        Self { memory: 2 << 30, cpus: 1.0, processes: 128, temporary: 256 << 20 }
    }
}
