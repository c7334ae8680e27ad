//! `WorkerService`: the work stream, the call journal, shares of rate limits.

use palaestra_proto::Problem;
use palaestra_proto::v1::worker_service_server::WorkerService;
use palaestra_proto::v1::{
    AnswerRequest, CoordinatorMessage, Done, HoldRequest, IntendRequest, RecallReply, RecallRequest,
    ReserveRequest, ReturnShareRequest, ShareReply, ShareRequest, WorkerMessage,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use super::services::Services;
use super::{journal, shares, work};

/// The service.
pub(super) struct WorkerApi(pub(super) Services);

fn done(result: Result<(), Problem>) -> Result<Response<Done>, Status> {
    result.map(|()| Response::new(Done {})).map_err(Status::from)
}

#[tonic::async_trait]
impl WorkerService for WorkerApi {
    type WorkStream = ReceiverStream<Result<CoordinatorMessage, Status>>;

    async fn work(
        &self,
        request: Request<Streaming<WorkerMessage>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        Ok(Response::new(work::begin(self.0.clone(), request.into_inner())))
    }

    async fn recall(&self, request: Request<RecallRequest>) -> Result<Response<RecallReply>, Status> {
        Ok(Response::new(journal::recall(&self.0, request.into_inner()).await?))
    }

    async fn reserve(&self, request: Request<ReserveRequest>) -> Result<Response<Done>, Status> {
        done(journal::reserve(&self.0, request.into_inner()).await)
    }

    async fn intend(&self, request: Request<IntendRequest>) -> Result<Response<Done>, Status> {
        done(journal::intend(&self.0, request.into_inner()).await)
    }

    async fn withdraw(&self, request: Request<IntendRequest>) -> Result<Response<Done>, Status> {
        done(journal::withdraw(&self.0, request.into_inner()).await)
    }

    async fn answer(&self, request: Request<AnswerRequest>) -> Result<Response<Done>, Status> {
        done(journal::answer(&self.0, request.into_inner()).await)
    }

    async fn lost(&self, request: Request<HoldRequest>) -> Result<Response<Done>, Status> {
        done(journal::lost(&self.0, request.into_inner()).await)
    }

    async fn release(&self, request: Request<HoldRequest>) -> Result<Response<Done>, Status> {
        done(journal::release(&self.0, request.into_inner()).await)
    }

    async fn request_share(&self, request: Request<ShareRequest>) -> Result<Response<ShareReply>, Status> {
        Ok(Response::new(shares::request(&self.0, request.into_inner()).await?))
    }

    async fn return_share(&self, request: Request<ReturnShareRequest>) -> Result<Response<Done>, Status> {
        done(shares::give_back(&self.0, request.into_inner()).await)
    }
}
