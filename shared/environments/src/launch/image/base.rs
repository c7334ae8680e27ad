//! What a base image holds: the packages have to fit its Python, not ours.

use std::sync::Arc;

use serde::Deserialize;
use tokio::io::AsyncReadExt as _;

use crate::error::Error;
use crate::launch::docker::{ContainerEngine, ContainerLimits, DockerError, DockerLauncher};
use crate::launch::starting::{Launch as _, Launched};

/// How long an interpreter may take to say what it is.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Asks an interpreter, in words that every Python 3 understands.
const QUESTION: &str = "\
import ensurepip, json, platform, sys, venv
libc = platform.libc_ver()[1].split('.')
print(json.dumps({'python': sys.version_info[:2], 'machine': platform.machine(),
                  'libc': int(libc[1]) if libc[0] == '2' else None}))
";

/// The oldest Python that environments run on.
const OLDEST: (u32, u32) = (3, 10);

/// The C libraries that built packages may ask for: from the oldest with a name of its own on.
const FIRST_LIBC: u32 = 5;

/// The interpreter of a base image.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Base {
    /// Its version.
    pub(super) python: (u32, u32),
    /// Its processor, as the kernel calls it.
    pub(super) machine: String,
    /// The minor version of its glibc 2; none is musl.
    pub(super) libc: Option<u32>,
}

impl Base {
    /// Runs the base image's interpreter, as confined as an environment.
    pub(super) async fn of(engine: &Arc<ContainerEngine>, image: &str) -> Result<Self, Error> {
        let launcher = DockerLauncher {
            engine: Arc::clone(engine).into(),
            environment: "base",
            image: image.to_owned(),
            program: "python3".to_owned(),
            arguments: vec!["-c".to_owned(), QUESTION.to_owned()],
            limits: ContainerLimits::default(),
            data: Vec::new(),
        };
        let unusable = |found: String| DockerError::UnusableBase { image: image.to_owned(), found };
        let Launched { input: _input, mut output, mut host } = match launcher.launch().await {
            Ok(launched) => launched,
            Err(Error::Docker(DockerError::NoImage { image })) => {
                return Err(DockerError::NoBase { image }.into());
            }
            // An image without `python3` cannot be started with it.
            Err(Error::Docker(DockerError::Engine { reason, .. })) => return Err(unusable(reason).into()),
            Err(error) => return Err(error),
        };
        let mut text = String::new();
        let read = tokio::time::timeout(PATIENCE, output.read_to_string(&mut text)).await;
        let Ok(Ok(base)) = read.map(|_| serde_json::from_str::<Self>(&text)) else {
            let end = host.stop(PATIENCE).await;
            return Err(unusable(format!("{end}: {}", host.last_words())).into());
        };
        if base.python < OLDEST {
            return Err(unusable(format!("it has Python {}.{}", base.python.0, base.python.1)).into());
        }
        Ok(base)
    }

    /// The interpreter's version as pip takes it.
    pub(super) fn version(&self) -> String {
        format!("{}.{}", self.python.0, self.python.1)
    }

    /// The interfaces that built packages for it may have.
    pub(super) fn interfaces(&self) -> [String; 3] {
        [format!("cp{}{}", self.python.0, self.python.1), "abi3".to_owned(), "none".to_owned()]
    }

    /// The platforms that built packages for it may be made for, newest first.
    pub(super) fn platforms(&self) -> Vec<String> {
        let machine = &self.machine;
        let Some(newest) = self.libc else {
            return vec![format!("musllinux_1_2_{machine}"), format!("musllinux_1_1_{machine}")];
        };
        let named = (FIRST_LIBC..=newest).rev().map(|minor| format!("manylinux_2_{minor}_{machine}"));
        let older = ["manylinux2014", "manylinux2010", "manylinux1"].map(|name| format!("{name}_{machine}"));
        named.chain(older).collect()
    }
}
