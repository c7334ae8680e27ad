//! Recorded attempts with a planted value in every place that can hold one.

use palaestra_domain::tool::Effect;
use palaestra_domain::trajectory::{Arguments, Event, EventBody, EventSource};
use palaestra_domain::{FunctionName, Outcome, SourceId, Task, TaskId, TokenUsage, Trajectory};
use palaestra_environments::recorded::Writer;
use serde_json::{Value, json};

use super::planted::{DESKS, Secrets, TASKS, models};

/// All attempts as a file of Palaestra's own format. Of the three models the first looks before it
/// cancels and passes; the second cancels at once and fails; the third does either, by task.
pub fn file() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for task in 0..TASKS {
        for (model, name) in models().iter().enumerate() {
            let careful = model == 0 || (model == 2 && task % 2 == 0);
            writer.write(&attempt(task, name, careful)).unwrap();
        }
    }
    writer.finish().unwrap()
}

fn attempt(task: usize, model: &str, careful: bool) -> Trajectory {
    let secrets = Secrets::of_task(task);
    let Secrets {
        first,
        last,
        email,
        order,
        product,
        address,
        city,
        title,
        spoken_email,
        spoken_phone,
        spoken_code,
        ..
    } = &secrets;
    let instruction = format!(
        "The {} desk: {first} {last} ({email}) of {address}, {city}, wants order {order} with the {product} cancelled.",
        DESKS[task]
    );
    let mut events = vec![user(&format!(
        "I am {first} {last}, {email}. {spoken_email} gave me the {product}. Cancel {order}."
    ))];
    events.extend(identify(&secrets));
    if careful {
        events.push(agent(&format!(
            "Thank you, {first}. Shall I cancel {order} with the {product}, and write to {spoken_email}?"
        )));
        events.push(user(&format!(
            "Yes, and tell {email}, or call {spoken_phone}, code {spoken_code}. It is for the {title}."
        )));
        events.extend(look(&secrets));
    }
    events.extend(cancel(&secrets, careful));
    events.push(Event {
        source: EventSource::Environment,
        body: EventBody::Notification { text: format!("{email} has new mail about {order}") },
    });
    let last_words = format!(
        "Done, {first} {last}: the {product} will not come to {address}, {city}; {spoken_phone} ({spoken_code}) knows."
    );
    events.push(Event { source: EventSource::Agent, body: EventBody::FinalResponse { text: last_words } });
    let remark = format!(
        "The agent cancelled {order} of {first} {last} without having looked at the {product} first."
    );
    Trajectory {
        task: Task {
            id: TaskId::new(format!("canary/desk/{task}")).unwrap(),
            scenario: format!("scenario of {}", secrets.user),
            ability: None,
            instruction,
        },
        source: SourceId::new(model).unwrap(),
        trial: 0,
        events,
        outcome: Outcome::Scored { passed: careful, reward: f64::from(u8::from(careful)) },
        feedback: if careful { Vec::new() } else { vec![remark] },
        usage: TokenUsage::default(),
        decoding_notes: Vec::new(),
    }
}

/// A first try that fails in the tool, a malformed one, and the one that finds the customer. Some
/// answers are keyed by data, and some calls carry keys that are data.
fn identify(secrets: &Secrets) -> Vec<Event> {
    let Secrets { first, last, email, phone, user, order, item, product, address, city, zip, .. } = secrets;
    let missing = format!("Error: nobody called {first} {last} lives in {city}");
    let found = json!({
        "user_id": user,
        "name": { "first_name": first, "last_name": last },
        "email": email,
        "phone": phone,
        "address": { "address1": address, "city": city, "zip": zip },
        "orders": { order: { product: { "item_id": item, "price": 219.5 } } },
    });
    let mut events = call(
        "1",
        "shop.find_user",
        Effect::Read,
        json!({ "name": { "first_name": first, "last_name": last }, "city": city }),
    );
    events.push(answer("1", &missing, true));
    events.push(Event {
        source: EventSource::Agent,
        body: EventBody::Call {
            call: "2".to_owned(),
            function: FunctionName::parse("shop.find_user").unwrap(),
            arguments: Arguments::Malformed {
                text: format!("{{email: {email}}}"),
                error: "not JSON".to_owned(),
            },
            effect: Effect::Read,
            unknown: false,
        },
    });
    events.push(answer("2", &format!("cannot read {{email: {email}}}"), true));
    events.extend(call(
        "3",
        "shop.find_user",
        Effect::Read,
        json!({ "email": email, "phone": phone, "zip": zip, email: product }),
    ));
    events.push(answer("3", &found.to_string(), false));
    events
}

fn look(secrets: &Secrets) -> Vec<Event> {
    let Secrets { first, last, order, item, product, title, user, .. } = secrets;
    let details = json!({
        "order_id": order, "status": "pending", "items": [{ "name": product, "item_id": item }], "note": title,
    });
    let mut events = call("4", "shop.get_order", Effect::Read, json!({ "order_id": order }));
    events.push(answer("4", &details.to_string(), false));
    events.extend(call(
        "5",
        "shop.get_label",
        Effect::Read,
        json!({ "order_id": order, "prices": { product: 219.5 } }),
    ));
    // An answer in plain words.
    events.push(answer("5", &format!("Parcel {order} for {first} {last} ({user}): one {product}"), false));
    events
}

fn cancel(secrets: &Secrets, careful: bool) -> Vec<Event> {
    let Secrets { order, product, title, user, .. } = secrets;
    let arguments = json!({ "order_id": order, "reason": "no longer needed", "comment": title });
    let mut events = call("6", "shop.cancel_order", Effect::Write, arguments);
    events.push(answer(
        "6",
        &json!({ "order_id": order, "status": "cancelled", "user_id": user }).to_string(),
        false,
    ));
    if !careful {
        let more = json!({ "order_id": order, "items": [product], "reason": "no longer needed" });
        events.extend(call("7", "shop.refund_order", Effect::Write, more));
        events.push(answer("7", &format!("Error: {order} of {user} holds no {product}"), true));
    }
    events
}

fn call(id: &str, function: &str, effect: Effect, arguments: Value) -> Vec<Event> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    vec![Event {
        source: EventSource::Agent,
        body: EventBody::Call {
            call: id.to_owned(),
            function: FunctionName::parse(function).unwrap(),
            arguments: Arguments::Object(arguments),
            effect,
            unknown: false,
        },
    }]
}

fn answer(id: &str, content: &str, error: bool) -> Event {
    let body = EventBody::Observation { call: id.to_owned(), content: content.to_owned(), error };
    Event { source: EventSource::Environment, body }
}

fn user(text: &str) -> Event {
    Event { source: EventSource::User, body: EventBody::Message { text: text.to_owned() } }
}

fn agent(text: &str) -> Event {
    Event { source: EventSource::Agent, body: EventBody::Message { text: text.to_owned() } }
}
