//! One environment at the other end of a stream: hello, requests, questions asked back, deadlines.
//!
//! A connection is of use as long as every request got its reply. Whatever breaks that ends the
//! environment: nothing is read from a stream that is out of step.

use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::time::timeout;

use super::asked::{AskBack, AskError, Asked, Purpose};
use super::lines::{self, Line};
use super::message::{
    Answer, Failure, Incoming, Operation, Outgoing, OutgoingBody, PROTOCOL, RefusalKind, VERSION,
};
use super::settings::WireSettings;
use crate::error::Error;
use crate::launch::{Host, Launch, Launched};
use crate::recorded::decode;

/// What the environment is told when its question stays open; the cause is not for it.
const NO_ANSWER: &str = "the question stayed without an answer";

/// The most characters of a wrong line that an error shows.
const SHOWN: usize = 300;

pub(super) struct Connection {
    name: &'static str,
    settings: WireSettings,
    input: Box<dyn AsyncWrite + Send + Unpin>,
    output: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    host: Box<dyn Host>,
    requests: u64,
    /// A request is under way, or was when its future was dropped.
    in_step: bool,
}

/// What ends a connection.
enum Fault {
    Stuck(Duration),
    Gone,
    TooLarge,
    Garbled { what: String, line: String },
}

/// A question that got no answer.
type Open = Option<(Purpose, AskError)>;

impl Connection {
    /// Starts an environment and waits for its hello.
    pub(super) async fn open(
        name: &'static str,
        launch: &dyn Launch,
        settings: WireSettings,
    ) -> Result<Self, Error> {
        let Launched { input, output, host } = launch.launch().await?;
        let output = BufReader::new(output);
        let mut connection = Self { name, settings, input, output, host, requests: 0, in_step: true };
        let step = "start";
        let line = connection.read(settings.start, &mut Vec::new()).await;
        let hello = match line {
            Ok(Incoming { hello: Some(hello), .. }) => hello,
            Ok(_) => {
                let fault = Fault::Garbled { what: "no hello".to_owned(), line: String::new() };
                return Err(connection.fail(step, fault).await);
            }
            Err(fault) => return Err(connection.fail(step, fault).await),
        };
        if (hello.protocol.as_str(), hello.version, hello.name.as_str()) != (PROTOCOL, VERSION, name) {
            connection.host.stop(settings.grace).await;
            let found = format!("{} ({} version {})", hello.name, hello.protocol, hello.version);
            let expected = format!("{name} ({PROTOCOL} version {VERSION})");
            return Err(Error::WrongHello { environment: name, found, expected });
        }
        connection.in_step = false;
        Ok(connection)
    }

    /// Whether a further request can be made.
    pub(super) fn is_usable(&mut self) -> bool {
        !self.in_step && self.host.is_alive()
    }

    /// The environment's process, where it has one on this machine.
    pub(super) fn process_id(&self) -> Option<u32> {
        self.host.process_id()
    }

    /// Makes one request and answers the questions that come before its reply. After an error the
    /// connection may be of no more use.
    pub(super) async fn request<T: DeserializeOwned>(
        &mut self,
        operation: &Operation<'_>,
        asked: &dyn Asked,
        notes: &mut Vec<String>,
    ) -> Result<T, Error> {
        let step = operation.step();
        self.requests += 1;
        self.in_step = true;
        let mut open = None;
        match self.exchange(operation, asked, notes, &mut open).await {
            Ok(reply) => {
                self.in_step = false;
                match (open, reply) {
                    (Some((purpose, error)), _) => Err(self.unanswered(purpose, error)),
                    (None, Ok(reply)) => Ok(reply),
                    (None, Err(failure)) => Err(self.refused(operation, failure)),
                }
            }
            Err(fault) => Err(self.fail(step, fault).await),
        }
    }

    async fn exchange<T: DeserializeOwned>(
        &mut self,
        operation: &Operation<'_>,
        asked: &dyn Asked,
        notes: &mut Vec<String>,
        open: &mut Open,
    ) -> Result<Result<T, Failure>, Fault> {
        self.write(OutgoingBody::Request(operation)).await?;
        let mut questions = 0;
        loop {
            let message = self.read(self.settings.step, notes).await?;
            if message.id != Some(self.requests) {
                return Err(garbled(format!("not about request {}", self.requests), &message));
            }
            match message {
                Incoming { hello: None, ok: Some(value), error: None, ask: None, .. } => {
                    let shown = beginning(&value.to_string());
                    let reply = serde_json::from_value(value);
                    return reply.map(Ok).map_err(|e| Fault::Garbled { what: e.to_string(), line: shown });
                }
                Incoming { hello: None, ok: None, error: Some(failure), ask: None, .. } => {
                    return Ok(Err(failure));
                }
                Incoming { hello: None, ok: None, error: None, ask: Some(question), .. } => {
                    questions += 1;
                    if questions > self.settings.most_questions {
                        let what = format!("more than {} questions", self.settings.most_questions);
                        return Err(Fault::Garbled { what, line: beginning(&format!("{question:?}")) });
                    }
                    self.answer(question, asked, open).await?;
                }
                other => return Err(garbled("neither reply nor question".to_owned(), &other)),
            }
        }
    }

    async fn answer(&mut self, question: AskBack, asked: &dyn Asked, open: &mut Open) -> Result<(), Fault> {
        let purpose = question.purpose;
        match asked.answer(question).await {
            Ok(text) => self.write(OutgoingBody::Answer { answer: Answer::Text(&text) }).await,
            Err(error) => {
                *open = Some((purpose, error));
                self.write(OutgoingBody::Answer { answer: Answer::Error(NO_ANSWER) }).await
            }
        }
    }

    async fn write(&mut self, body: OutgoingBody<'_>) -> Result<(), Fault> {
        let message = Outgoing { id: self.requests, body };
        let mut line = serde_json::to_vec(&message)
            .map_err(|error| Fault::Garbled { what: error.to_string(), line: String::new() })?;
        if line.len() > self.settings.most_bytes {
            return Err(Fault::TooLarge);
        }
        line.push(b'\n');
        let write = async {
            self.input.write_all(&line).await?;
            self.input.flush().await
        };
        match timeout(self.settings.step, write).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Fault::Gone),
            Err(_) => Err(Fault::Stuck(self.settings.step)),
        }
    }

    async fn read(&mut self, deadline: Duration, notes: &mut Vec<String>) -> Result<Incoming, Fault> {
        let line = match timeout(deadline, lines::next(&mut self.output, self.settings.most_bytes)).await {
            Ok(Ok(Line::Whole(line))) => line,
            Ok(Ok(Line::TooLong)) => return Err(Fault::TooLarge),
            Ok(Ok(Line::End) | Err(_)) => return Err(Fault::Gone),
            Err(_) => return Err(Fault::Stuck(deadline)),
        };
        let text = decode::text(&line, notes);
        serde_json::from_str(&text)
            .map_err(|error| Fault::Garbled { what: error.to_string(), line: beginning(&text) })
    }

    /// Ends the environment and says what had happened.
    async fn fail(&mut self, step: &'static str, fault: Fault) -> Error {
        let (environment, grace) = (self.name, self.settings.grace);
        if matches!(fault, Fault::Gone)
            && let Some(end) = self.host.ended(grace).await
        {
            return Error::Dead { environment, step, end, last_words: self.host.last_words() };
        }
        let end = self.host.stop(grace).await;
        let last_words = self.host.last_words();
        match fault {
            Fault::Stuck(deadline) => Error::Stuck { environment, step, deadline, end, last_words },
            Fault::Gone => Error::Dead { environment, step, end, last_words },
            Fault::TooLarge => Error::TooLarge { environment, step, limit: self.settings.most_bytes },
            Fault::Garbled { what, line } => Error::Garbled { environment, step, what, line },
        }
    }

    fn unanswered(&self, purpose: Purpose, error: AskError) -> Error {
        let AskError { class, source } = error;
        Error::Unanswered { environment: self.name, purpose, class, source }
    }

    fn refused(&self, operation: &Operation<'_>, failure: Failure) -> Error {
        match (failure.kind, operation) {
            (RefusalKind::ActIdReused, Operation::Act { act, .. }) => {
                Error::ActIdReused { id: (*act).to_owned() }
            }
            (kind, _) => Error::Refused {
                environment: self.name,
                step: operation.step(),
                kind,
                message: failure.message,
            },
        }
    }
}

fn garbled(what: String, message: &Incoming) -> Fault {
    Fault::Garbled { what, line: beginning(&format!("{message:?}")) }
}

fn beginning(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
