//! The commands that make a virtual environment: `venv`, then pip with hashes and nothing but
//! built packages, so that no code of a package runs while it is installed.

use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use crate::error::Error;

/// How many characters of a failed command's output an error shows.
const SHOWN: usize = 1500;

/// Makes the virtual environment in `folder/venv` from `folder/requirements.lock`.
pub(super) async fn make(name: &str, python: &Path, folder: &Path) -> Result<(), Error> {
    let venv = folder.join("venv");
    run(name, python, &["-m".as_ref(), "venv".as_ref(), venv.as_os_str()]).await?;
    let lock = folder.join("requirements.lock");
    let arguments: Vec<&std::ffi::OsStr> = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--requirement",
    ]
    .iter()
    .map(AsRef::as_ref)
    .chain([lock.as_os_str()])
    .collect();
    run(name, &python_of(folder), &arguments).await
}

/// The virtual environment's interpreter.
pub(super) fn python_of(folder: &Path) -> std::path::PathBuf {
    folder.join("venv").join("bin").join("python")
}

pub(super) async fn run(name: &str, program: &Path, arguments: &[&std::ffi::OsStr]) -> Result<(), Error> {
    let failed = |end: String, last_words: String| Error::InstallCommand {
        name: name.to_owned(),
        command: std::iter::once(program.as_os_str())
            .chain(arguments.iter().copied())
            .map(|part| part.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" "),
        end,
        last_words,
    };
    // The settings of pip, proxies and certificates are the user's own, so they are inherited.
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| failed(error.to_string(), "is Python 3.10 or newer installed?".to_owned()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let skipped = text.trim().chars().count().saturating_sub(SHOWN);
    Err(failed(output.status.to_string(), text.trim().chars().skip(skipped).collect()))
}
