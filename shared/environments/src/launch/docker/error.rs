//! What can go wrong between us and a container engine.

use std::error::Error as StdError;

use bollard::errors::Error as Cause;

/// A failure of a container engine, or of its use.
#[derive(Debug, thiserror::Error)]
pub enum DockerError {
    /// No engine that answers.
    #[error(
        "no container engine can be used ({tried}): start Docker or Podman's service, let this user write to its \
         socket, or name another one in DOCKER_HOST"
    )]
    NoEngine {
        /// What was tried, and what became of it.
        tried: String,
    },
    /// An environment's image that the engine does not have.
    #[error(
        "the container engine has no image {image}: run `palaestra env build NAME --base IMAGE` with the name of its \
         environment (nothing is fetched from a registry)"
    )]
    NoImage {
        /// The image.
        image: String,
    },
    /// A base image that the engine does not have.
    #[error(
        "the container engine has no image {image} to build on: load, import or pull an image with Python 3.10 or \
         newer and its venv module, and name it (nothing is fetched from a registry)"
    )]
    NoBase {
        /// The image.
        image: String,
    },
    /// A base image that cannot carry an environment.
    #[error("image {image} cannot be built on: it needs Python 3.10 or newer with its venv module ({found})")]
    UnusableBase {
        /// The image.
        image: String,
        /// What was found in it.
        found: String,
    },
    /// A name that no image can have.
    #[error("{name:?} cannot be the name of an image: use letters, digits and any of . _ - / : @")]
    ImageName {
        /// The refused name.
        name: String,
    },
    /// Something that the engine refused or failed at.
    #[error("the container engine could not {action} {what} ({reason})")]
    Engine {
        /// What was tried.
        action: &'static str,
        /// On what.
        what: String,
        /// The engine's own words, with their causes.
        reason: String,
    },
    /// An image that could not be built.
    #[error("cannot build image {image}: {reason}; the build's last lines: {last_words}")]
    Build {
        /// The image.
        image: String,
        /// The engine's own words.
        reason: String,
        /// The end of the build's output.
        last_words: String,
    },
}

/// Turns a cause into an error that says what was tried on what.
pub(in crate::launch) fn failed(
    action: &'static str,
    what: impl Into<String>,
) -> impl FnOnce(Cause) -> DockerError {
    let what = what.into();
    move |cause| DockerError::Engine { action, what, reason: words(&cause) }
}

/// An error with its causes in one line.
pub(in crate::launch) fn words(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        source = cause.source();
    }
    text
}

/// Whether the engine does not know what it was asked about.
pub(super) fn is_missing(cause: &Cause) -> bool {
    matches!(cause, Cause::DockerResponseServerError { status_code: 404, .. })
}
