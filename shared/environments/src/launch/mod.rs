//! How environments come up and go: a process with a virtual environment of our making. A launcher
//! hands out a byte stream and the means to end what stands behind it; it knows no protocol.

mod home;
mod install;
mod process;
mod recipe;
mod starting;
mod venv;

pub use install::{InstalledEnvironment, Installer};
pub use process::ProcessLauncher;
pub use recipe::{RECIPES, Recipe};
pub use starting::{Host, Launch, Launched};
