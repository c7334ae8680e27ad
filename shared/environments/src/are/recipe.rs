//! What the benchmark's installation is made of.

use crate::launch::Recipe;

/// The adapter's file.
pub(super) const ADAPTER: &str = "gaia2_adapter.py";

/// ARE from its package, and our own scenarios in the GAIA2 format.
pub const RECIPE: Recipe = Recipe {
    name: "gaia2",
    about: "GAIA2 in Meta Agents Research Environments: a personal workspace in which time passes.",
    lock: include_str!("requirements.lock"),
    adapter: &[
        (ADAPTER, include_str!("adapter/gaia2_adapter.py")),
        ("gaia2_episode.py", include_str!("adapter/gaia2_episode.py")),
        ("gaia2_judge.py", include_str!("adapter/gaia2_judge.py")),
        ("gaia2_library.py", include_str!("adapter/gaia2_library.py")),
        ("gaia2_scenarios.py", include_str!("adapter/gaia2_scenarios.py")),
        ("gaia2_stepped.py", include_str!("adapter/gaia2_stepped.py")),
        ("gaia2_templates.py", include_str!("adapter/gaia2_templates.py")),
        ("gaia2_universe.py", include_str!("adapter/gaia2_universe.py")),
    ],
};
