//! Starts containers and attaches to their streams.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use bollard::query_parameters::{AttachContainerOptionsBuilder, CreateContainerOptionsBuilder};
use palaestra_runtime::{process, tasks};

use super::body;
use super::container::Container;
use super::engine::ContainerEngine;
use super::error::{DockerError, failed, is_missing};
use super::limits::ContainerLimits;
use super::shared::SharedEngine;
use super::streams::{self, Heard};
use crate::error::Error;
use crate::launch::image::{ADAPTERS, IMAGE_PROGRAM, image_name};
use crate::launch::recipe::Recipe;
use crate::launch::starting::{Launch, Launched};

/// How much of a container's output waits for its reader, in bytes.
const BUFFER: usize = 64 << 10;

/// Starts one image with one command as often as it is asked to.
#[derive(Clone)]
pub struct DockerLauncher {
    /// The engine that it runs in.
    pub engine: SharedEngine,
    /// The environment's name, for errors and labels.
    pub environment: &'static str,
    /// The image, which the engine has to have.
    pub image: String,
    /// The program in the image.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it may take.
    pub limits: ContainerLimits,
    /// Folders of the engine's machine that it may read, under the same paths.
    pub data: Vec<PathBuf>,
}

impl DockerLauncher {
    /// Starts an adapter of a recipe's image, under the name that its hello gives. The image is
    /// what [`build_image`](crate::launch::build_image) makes under its usual name.
    ///
    /// # Errors
    /// When the recipe cannot be hashed.
    pub fn of_recipe(
        engine: &SharedEngine,
        recipe: &Recipe,
        environment: &'static str,
        adapter: &str,
        arguments: &[&str],
    ) -> Result<Self, Error> {
        let adapter = format!("{ADAPTERS}/{adapter}");
        Ok(Self {
            engine: engine.clone(),
            environment,
            image: image_name(recipe)?,
            program: IMAGE_PROGRAM.to_owned(),
            arguments: std::iter::once(adapter.as_str())
                .chain(arguments.iter().copied())
                .map(str::to_owned)
                .collect(),
            limits: ContainerLimits::default(),
            data: Vec::new(),
        })
    }
}

#[async_trait]
impl Launch for DockerLauncher {
    async fn launch(&self) -> Result<Launched, Error> {
        // In a task of its own: a caller that stops waiting must not leave a container half made.
        let start = tasks::spawn("start container", start(self.clone()));
        start.await.unwrap_or_else(|panic| {
            let source = std::io::Error::other(panic);
            Err(Error::Launch { environment: self.environment, what: self.image.clone(), source })
        })
    }
}

async fn start(launcher: DockerLauncher) -> Result<Launched, Error> {
    let engine = launcher.engine.get().await?;
    let mut container = Container {
        engine: Arc::clone(&engine),
        name: format!("palaestra-{}-{}", launcher.environment, process::unique_name()),
        exists: false,
        memory: launcher.limits.memory,
        process: None,
        heard: Arc::new(Heard::default()),
        listening: None,
        killed: false,
    };
    create(&engine, &launcher, &container.name).await?;
    container.exists = true;
    let docker = &engine.docker;
    let options = AttachContainerOptionsBuilder::new().stream(true).stdin(true).stdout(true).stderr(true);
    // Before the start, so that nothing of what it writes is lost.
    let attached = docker.attach_container(&container.name, Some(options.build())).await;
    let attached = attached.map_err(failed("attach to container", &container.name))?;
    let started = docker.start_container(&container.name, None).await;
    started.map_err(failed("start container", &container.name))?;
    container.find_process().await;
    let (output, passed_on) = tokio::io::duplex(BUFFER);
    let listen = streams::listen(attached.output, passed_on, Arc::clone(&container.heard));
    container.listening = Some(tasks::spawn("container streams", listen));
    let input: Pin<Box<dyn tokio::io::AsyncWrite + Send>> = attached.input;
    Ok(Launched { input: Box::new(input), output: Box::new(output), host: Box::new(container) })
}

async fn create(engine: &ContainerEngine, launcher: &DockerLauncher, name: &str) -> Result<(), DockerError> {
    let options = CreateContainerOptionsBuilder::new().name(name).build();
    let body = body::of(launcher, &engine.owner);
    match engine.docker.create_container(Some(options), body).await {
        Ok(_) => Ok(()),
        Err(cause) if is_missing(&cause) => Err(DockerError::NoImage { image: launcher.image.clone() }),
        Err(cause) => Err(failed("create container", name)(cause)),
    }
}
