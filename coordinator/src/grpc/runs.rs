//! `RunService`: what people and programs ask about runs.

use palaestra_domain::RunName;
use palaestra_proto::Problem;
use palaestra_proto::convert::Malformed;
use palaestra_proto::v1::run_service_server::RunService;
use palaestra_proto::v1::{ListRunsRequest, RunRequest, RunStatus, SubmitMessage};
use tonic::{Request, Response, Status, Streaming};

use super::artefacts::{self, Artefacts};
use super::blobs::Chunks;
use super::services::Services;
use super::status::Listed;
use super::watch::{self, Statuses};
use super::{refusals, status, submit};
use crate::state::{Command, Run, RunPhase};

/// The service.
pub(super) struct RunApi(pub(super) Services);

impl RunApi {
    /// A run that exists.
    async fn known(&self, request: Request<RunRequest>) -> Result<RunName, Problem> {
        let run = name(request.into_inner().run)?;
        let asked = run.clone();
        let found = self.0.core.view(move |state| state.run(&asked).map(|_| ())).await;
        found.and_then(|found| Ok(found?)).map_err(|error| refusals::ask(&error))?;
        Ok(run)
    }

    /// Asks for a change of a run and answers its status afterwards.
    async fn change(
        &self,
        request: Request<RunRequest>,
        command: impl FnOnce(RunName) -> Command,
    ) -> Result<Response<RunStatus>, Status> {
        let run = name(request.into_inner().run).map_err(Problem::from)?;
        self.0.core.ask(command(run.clone())).await.map_err(|error| refusals::ask(&error))?;
        Ok(Response::new(status::of(&self.0, &run).await?))
    }
}

fn name(run: String) -> Result<RunName, Malformed> {
    RunName::new(run).map_err(|error| Malformed { field: "run", message: error.to_string() })
}

#[tonic::async_trait]
impl RunService for RunApi {
    type ListRunsStream = Listed;
    type WatchRunStream = Statuses;
    type GetBankStream = Chunks;
    type ListArtefactsStream = Artefacts;

    async fn submit(
        &self,
        request: Request<Streaming<SubmitMessage>>,
    ) -> Result<Response<RunStatus>, Status> {
        let run = submit::submit(&self.0, request.into_inner()).await?;
        Ok(Response::new(status::of(&self.0, &run).await?))
    }

    async fn list_runs(&self, request: Request<ListRunsRequest>) -> Result<Response<Listed>, Status> {
        Ok(Response::new(status::all(self.0.clone(), request.into_inner().tenant).await?))
    }

    async fn get_run(&self, request: Request<RunRequest>) -> Result<Response<RunStatus>, Status> {
        let run = self.known(request).await?;
        Ok(Response::new(status::of(&self.0, &run).await?))
    }

    async fn watch_run(&self, request: Request<RunRequest>) -> Result<Response<Statuses>, Status> {
        let run = self.known(request).await?;
        Ok(Response::new(watch::watch(self.0.clone(), run)))
    }

    async fn pause_run(&self, request: Request<RunRequest>) -> Result<Response<RunStatus>, Status> {
        self.change(request, |run| Command::Pause { run }).await
    }

    async fn resume_run(&self, request: Request<RunRequest>) -> Result<Response<RunStatus>, Status> {
        let run = self.known(request).await?;
        let asked = run.clone();
        let phase = self.0.core.view(move |state| state.run(&asked).map(Run::phase)).await;
        // Where all units have ended, its curation may still have stalled.
        if phase.and_then(|phase| Ok(phase?)).map_err(|error| refusals::ask(&error))? != RunPhase::Finished {
            let resumed = self.0.core.ask(Command::Resume { run: run.clone() }).await;
            resumed.map_err(|error| refusals::ask(&error))?;
        }
        self.0.curations.resume(&run);
        Ok(Response::new(status::of(&self.0, &run).await?))
    }

    async fn cancel_run(&self, request: Request<RunRequest>) -> Result<Response<RunStatus>, Status> {
        self.change(request, |run| Command::Cancel { run }).await
    }

    async fn get_bank(&self, request: Request<RunRequest>) -> Result<Response<Chunks>, Status> {
        let run = self.known(request).await?;
        Ok(Response::new(artefacts::bank(&self.0, &run).await?))
    }

    async fn list_artefacts(&self, request: Request<RunRequest>) -> Result<Response<Artefacts>, Status> {
        let run = self.known(request).await?;
        Ok(Response::new(artefacts::list(&self.0, &run).await?))
    }
}
