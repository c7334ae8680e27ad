//! Attempts in a small shop, written down event by event.

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::packet::{Difference, DifferenceKind, PacketView};
use palaestra_domain::tool::Effect;
use palaestra_domain::trajectory::{Arguments, Event, EventBody, EventSource};
use palaestra_domain::{Ability, FunctionName, Outcome, SourceId, Task, TaskId, TokenUsage, Trajectory};
use palaestra_methods::contramem::normalize::{NormalizedTask, normalize};
use palaestra_methods::contramem::stored_packet::{StoredPacket, contrast};
use serde_json::Value;

/// The task of all attempts that name no other.
pub(crate) const TASK: &str = "shop/orders/1";

pub(crate) fn ability(name: &str) -> Ability {
    Ability::new(name).unwrap()
}

pub(crate) fn function(name: &str) -> FunctionName {
    FunctionName::parse(name).unwrap()
}

/// An attempt that grows with each call of a method.
#[derive(Clone)]
pub(crate) struct Attempt(pub(crate) Trajectory);

pub(crate) fn passed(source: &str) -> Attempt {
    attempt(source, Outcome::Scored { passed: true, reward: 1.0 })
}

pub(crate) fn failed(source: &str) -> Attempt {
    attempt(source, Outcome::Scored { passed: false, reward: 0.0 })
}

pub(crate) fn unresolved(source: &str) -> Attempt {
    let (class, reason) = (UnresolvedClass::Infrastructure, "the machine stopped".to_owned());
    attempt(source, Outcome::Unresolved { class, reason })
}

pub(crate) fn attempt(source: &str, outcome: Outcome) -> Attempt {
    Attempt(Trajectory {
        task: task(TASK, ""),
        source: SourceId::new(source).unwrap(),
        trial: 0,
        events: Vec::new(),
        outcome,
        feedback: Vec::new(),
        usage: TokenUsage::default(),
        decoding_notes: Vec::new(),
    })
}

fn task(id: &str, instruction: &str) -> Task {
    Task {
        id: TaskId::new(id).unwrap(),
        scenario: format!("scenario of {id}"),
        ability: None,
        instruction: instruction.to_owned(),
    }
}

impl Attempt {
    pub(crate) fn task(mut self, id: &str, instruction: &str) -> Self {
        self.0.task = task(id, instruction);
        self
    }

    pub(crate) fn trial(mut self, trial: u32) -> Self {
        self.0.trial = trial;
        self
    }

    pub(crate) fn feedback(mut self, text: &str) -> Self {
        self.0.feedback.push(text.to_owned());
        self
    }

    pub(crate) fn event(mut self, source: EventSource, body: EventBody) -> Self {
        self.0.events.push(Event { source, body });
        self
    }

    /// A call without its answer; the id is the number of events before it.
    pub(crate) fn proposes(self, effect: Effect, name: &str, arguments: Arguments, unknown: bool) -> Self {
        let call = self.0.events.len().to_string();
        let body = EventBody::Call { call, function: function(name), arguments, effect, unknown };
        self.event(EventSource::Agent, body)
    }

    /// The answer to the call just before.
    pub(crate) fn answered(self, content: &str, error: bool) -> Self {
        let call = (self.0.events.len() - 1).to_string();
        self.event(
            EventSource::Environment,
            EventBody::Observation { call, content: content.to_owned(), error },
        )
    }

    pub(crate) fn read(self, name: &str, arguments: Value, content: &str) -> Self {
        self.proposes(Effect::Read, name, object(arguments), false).answered(content, false)
    }

    pub(crate) fn write(self, name: &str, arguments: Value) -> Self {
        self.proposes(Effect::Write, name, object(arguments), false).answered(r#"{"status": "done"}"#, false)
    }

    pub(crate) fn refused(self, effect: Effect, name: &str, arguments: Value, text: &str) -> Self {
        self.proposes(effect, name, object(arguments), false).answered(text, true)
    }

    pub(crate) fn unknown(self, name: &str) -> Self {
        let arguments = object(serde_json::json!({}));
        self.proposes(Effect::Write, name, arguments, true).answered("Error: no such tool", true)
    }

    pub(crate) fn malformed(self, name: &str, text: &str) -> Self {
        let arguments = Arguments::Malformed { text: text.to_owned(), error: "not an object".to_owned() };
        self.proposes(Effect::Write, name, arguments, false).answered("Error: bad arguments", true)
    }

    pub(crate) fn hands_over(self) -> Self {
        self.proposes(Effect::Finalize, "shop.transfer_to_human", object(serde_json::json!({})), false)
            .answered("transferred", false)
    }

    pub(crate) fn says(self, text: &str) -> Self {
        self.event(EventSource::Agent, EventBody::Message { text: text.to_owned() })
    }

    pub(crate) fn hears(self, text: &str) -> Self {
        self.event(EventSource::User, EventBody::Message { text: text.to_owned() })
    }

    pub(crate) fn ends(self, text: &str) -> Self {
        self.event(EventSource::Agent, EventBody::FinalResponse { text: text.to_owned() })
    }
}

fn object(arguments: Value) -> Arguments {
    let Value::Object(map) = arguments else { panic!("arguments are an object") };
    Arguments::Object(map)
}

pub(crate) fn trajectories(attempts: impl IntoIterator<Item = Attempt>) -> Vec<Trajectory> {
    attempts.into_iter().map(|attempt| attempt.0).collect()
}

pub(crate) fn normalized(attempts: impl IntoIterator<Item = Attempt>) -> NormalizedTask {
    normalize(&trajectories(attempts)).unwrap()
}

pub(crate) fn stored(attempts: impl IntoIterator<Item = Attempt>) -> StoredPacket {
    contrast(&trajectories(attempts), &ability("orders")).unwrap().0
}

pub(crate) fn view(attempts: impl IntoIterator<Item = Attempt>) -> PacketView {
    stored(attempts).packet.view
}

/// The differences of one kind that a packet of these attempts lists.
pub(crate) fn found(kind: DifferenceKind, attempts: impl IntoIterator<Item = Attempt>) -> Vec<Difference> {
    view(attempts).differences.into_iter().filter(|difference| difference.kind == kind).collect()
}
