//! Builds an environment's image through the engine's own build interface.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use bollard::models::BuildInfo;
use bollard::query_parameters::{BuildImageOptionsBuilder, PruneImagesOptionsBuilder};
use futures::StreamExt as _;
use serde::Serialize;

use super::base::Base;
use super::context::{self, STAGE};
use super::wheels;
use crate::error::Error;
use crate::launch::docker::{ContainerEngine, DockerError, ENVIRONMENT, failed, words};
use crate::launch::recipe::Recipe;

/// How many lines of a failed build's output an error shows.
const SHOWN: usize = 20;

/// How much of the archive is sent at a time, in bytes.
const PIECE: usize = 1 << 20;

/// An image that has been built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuiltImage {
    /// The environment's name.
    pub environment: &'static str,
    /// The image's name.
    pub image: String,
    /// Its size in bytes, the base image's included.
    pub size: u64,
}

/// Builds a recipe's image from a base image that the engine has. The packages are fetched with
/// `python` on this machine, for the base image's Python; the build itself has no network.
///
/// # Errors
/// [`Error::Docker`], and [`Error::InstallCommand`] when the packages cannot be fetched.
pub async fn build(
    engine: &Arc<ContainerEngine>,
    recipe: &Recipe,
    base: &str,
    image: &str,
    python: &Path,
) -> Result<BuiltImage, Error> {
    context::check_name(base)?;
    context::check_name(image)?;
    let interpreter = Base::of(engine, base).await?;
    let folder = tempfile::tempdir().map_err(file("create", &std::env::temp_dir()))?;
    let lock = folder.path().join("requirements.lock");
    fs::write(&lock, recipe.lock).map_err(file("write", &lock))?;
    wheels::fetch(recipe, &interpreter, python, folder.path()).await?;
    let path = folder.path().join("context.tar");
    let archive = File::create(&path).map_err(file("create", &path))?;
    context::write(recipe, base, folder.path(), archive).map_err(file("write", &path))?;
    let archive = File::open(&path).map_err(file("open", &path))?;
    send(engine, image, archive).await?;
    forget_leftovers(engine, recipe.name).await;
    let built = engine.docker.inspect_image(image).await.map_err(failed("look at image", image))?;
    let size = u64::try_from(built.size.unwrap_or_default()).unwrap_or_default();
    Ok(BuiltImage { environment: recipe.name, image: image.to_owned(), size })
}

async fn send(engine: &ContainerEngine, image: &str, archive: File) -> Result<(), DockerError> {
    // The engine fetches nothing, and the steps have no network.
    let options = BuildImageOptionsBuilder::new().t(image).rm(true).forcerm(true).networkmode("none").build();
    let pieces = futures::stream::iter(Pieces(archive)).map(|piece| piece.map(Into::into));
    let mut lines = engine.docker.build_image(options, None, Some(bollard::body_try_stream(pieces)));
    let mut tail = VecDeque::new();
    while let Some(line) = lines.next().await {
        let wrong = match line {
            Ok(BuildInfo { error_detail: Some(detail), .. }) => detail.message.unwrap_or_default(),
            Ok(BuildInfo { stream, .. }) => {
                tail.extend(stream.filter(|text| !text.trim().is_empty()));
                let excess = tail.len().saturating_sub(SHOWN);
                tail.drain(..excess);
                continue;
            }
            Err(cause) => words(&cause),
        };
        let last_words = tail.iter().map(|text: &String| text.trim()).collect::<Vec<_>>().join(" | ");
        return Err(DockerError::Build { image: image.to_owned(), reason: wrong, last_words });
    }
    Ok(())
}

/// Removes what the first stages of builds have left, and images of this environment that have lost
/// their name to a newer one; nothing is lost when that fails.
async fn forget_leftovers(engine: &ContainerEngine, environment: &str) {
    for label in [format!("{STAGE}=build"), format!("{ENVIRONMENT}={environment}")] {
        let filters = HashMap::from([("dangling", vec!["true"]), ("label", vec![label.as_str()])]);
        let options = PruneImagesOptionsBuilder::new().filters(&filters).build();
        if let Err(cause) = engine.docker.prune_images(Some(options)).await {
            tracing::debug!(reason = words(&cause), "images that nobody needs are left");
        }
    }
}

/// A file in pieces.
struct Pieces(File);

impl Iterator for Pieces {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut piece = Vec::with_capacity(PIECE);
        match self.0.by_ref().take(PIECE as u64).read_to_end(&mut piece) {
            Ok(0) => None,
            Ok(_) => Some(Ok(piece)),
            Err(error) => Some(Err(error)),
        }
    }
}

fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::InstallFile { action, path, source }
}
