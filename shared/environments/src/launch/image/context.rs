//! What an image is built from: a Dockerfile of ours, the packages, the adapter's files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::wheels::names_packages;
use crate::error::Error;
use crate::launch::docker::{DockerError, ENVIRONMENT, NOBODY};
use crate::launch::recipe::{FINISH, Recipe};

/// The interpreter of every image of ours.
pub const IMAGE_PROGRAM: &str = "/opt/palaestra/venv/bin/python";

/// Where the adapter's files are in an image.
pub(in crate::launch) const ADAPTERS: &str = "/opt/palaestra/adapter";

/// The label of what is left over from a build.
pub(super) const STAGE: &str = "dev.palaestra.stage";

/// The name of a recipe's image: another lock or another adapter is another name, so that an image
/// that does not fit is never used.
///
/// # Errors
/// When the recipe cannot be hashed.
pub fn image_name(recipe: &Recipe) -> Result<String, Error> {
    let folder = recipe.folder()?;
    let version = folder.strip_prefix(recipe.name).unwrap_or(&folder).trim_start_matches('-');
    Ok(format!("palaestra/{}:{version}", recipe.name))
}

/// Refuses what would be more than a name in a Dockerfile.
pub(super) fn check_name(name: &str) -> Result<(), DockerError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    if !name.is_empty() && name.chars().all(allowed) && !name.starts_with('-') {
        Ok(())
    } else {
        Err(DockerError::ImageName { name: name.to_owned() })
    }
}

/// The steps of the build. What packages need to be installed stays behind in the first stage.
pub(super) fn dockerfile(recipe: &Recipe, base: &str) -> String {
    let pip = if names_packages(recipe.lock) {
        format!(
            "RUN [\"{IMAGE_PROGRAM}\", \"-m\", \"pip\", \"install\", \"--quiet\", \"--no-index\", \
             \"--find-links\", \"/opt/packages/wheels\", \"--no-deps\", \"--require-hashes\", \
             \"--only-binary=:all:\", \"--requirement\", \"/opt/packages/requirements.lock\"]\n"
        )
    } else {
        String::new()
    };
    let finish = if recipe.has_finish() {
        format!("RUN [\"{IMAGE_PROGRAM}\", \"{ADAPTERS}/{FINISH}\"]\n")
    } else {
        String::new()
    };
    format!(
        "FROM {base} AS build\n\
         LABEL {STAGE}=build\n\
         USER 0:0\n\
         COPY packages /opt/packages\n\
         RUN [\"python3\", \"-m\", \"venv\", \"/opt/palaestra/venv\"]\n\
         {pip}\
         COPY adapter {ADAPTERS}\n\
         {finish}\
         RUN [\"{IMAGE_PROGRAM}\", \"-m\", \"compileall\", \"-q\", \"{ADAPTERS}\"]\n\
         \n\
         FROM {base}\n\
         USER 0:0\n\
         COPY --from=build /opt/palaestra /opt/palaestra\n\
         USER {NOBODY}\n\
         WORKDIR {ADAPTERS}\n\
         ENV LANG=C.UTF-8 PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1\n\
         LABEL {ENVIRONMENT}={}\n\
         ENTRYPOINT [\"{IMAGE_PROGRAM}\"]\n",
        recipe.name
    )
}

/// Writes the whole context as one archive. `folder` holds the packages in `wheels`, if there are
/// any.
pub(super) fn write(recipe: &Recipe, base: &str, folder: &Path, archive: File) -> io::Result<()> {
    let mut tar = tar::Builder::new(io::BufWriter::new(archive));
    text(&mut tar, "Dockerfile", &dockerfile(recipe, base))?;
    text(&mut tar, "packages/requirements.lock", recipe.lock)?;
    for (name, content) in recipe.files() {
        text(&mut tar, &format!("adapter/{name}"), content)?;
    }
    let wheels = folder.join("wheels");
    if wheels.is_dir() {
        let mut paths: Vec<_> =
            fs::read_dir(&wheels)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let file = File::open(&path)?;
            let length = file.metadata()?.len();
            tar.append_data(
                &mut header(length),
                format!("packages/wheels/{name}"),
                io::BufReader::new(file),
            )?;
        }
    }
    tar.into_inner()?.flush()
}

fn text<W: Write>(tar: &mut tar::Builder<W>, name: &str, content: &str) -> io::Result<()> {
    tar.append_data(&mut header(content.len() as u64), name, content.as_bytes())
}

/// A file for everybody to read. Always with the same time, so that the engine recognizes what it
/// has built before.
fn header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o644);
    header.set_mtime(0);
    header
}
