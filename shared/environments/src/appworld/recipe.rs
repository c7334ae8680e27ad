//! What the benchmark's installation is made of.

use crate::launch::Recipe;

/// The adapter's file.
pub(super) const ADAPTER: &str = "appworld_adapter.py";

/// AppWorld from its package, and our own small world in its format. AppWorld's own tasks are
/// brought by the user.
pub const RECIPE: Recipe = Recipe {
    name: "appworld",
    about: "AppWorld: a person's apps, used by code; with a small world of our own.",
    lock: include_str!("requirements.lock"),
    adapter: &[
        (ADAPTER, include_str!("adapter/appworld_adapter.py")),
        ("appworld_box.py", include_str!("adapter/appworld_box.py")),
        ("appworld_catalogue.py", include_str!("adapter/appworld_catalogue.py")),
        ("appworld_child.py", include_str!("adapter/appworld_child.py")),
        ("appworld_episode.py", include_str!("adapter/appworld_episode.py")),
        ("appworld_grading.py", include_str!("adapter/appworld_grading.py")),
        ("finish_install.py", include_str!("adapter/finish_install.py")),
        ("world_build.py", include_str!("adapter/world_build.py")),
        ("world_people.py", include_str!("adapter/world_people.py")),
        ("world_scenarios.py", include_str!("adapter/world_scenarios.py")),
    ],
};
