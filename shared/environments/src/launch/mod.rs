//! How environments come up and go: a process with a virtual environment of our making, or a
//! container with an image of our making. A launcher hands out a byte stream and the means to end
//! what stands behind it; it knows no protocol.

mod adapter;
mod docker;
mod home;
mod image;
mod install;
mod kind;
mod process;
mod recipe;
mod starting;
mod venv;

pub use adapter::Adapter;
pub use docker::{ContainerEngine, ContainerLimits, DockerError, DockerLauncher, Reap, Reaped, SharedEngine};
pub use image::{BuiltImage, IMAGE_PROGRAM, build as build_image, image_name};
pub use install::{InstalledEnvironment, Installer};
pub use kind::{LauncherKind, UnknownLauncher};
pub use process::ProcessLauncher;
pub use recipe::{FINISH, RECIPES, Recipe};
pub use starting::{Host, Launch, Launched};
