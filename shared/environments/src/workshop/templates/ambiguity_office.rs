//! Ambiguity, calendar, files and shop: the request leaves something open that only the user knows.

use serde_json::json;

use super::plan::{address, at_least, below, check, choose, gather, has, is, reply, write};
use crate::workshop::apps::files::Shelf;
use crate::workshop::data::BRANDS;
use crate::workshop::intent::{Goal, When};
use crate::workshop::oracle::{Answer, wanted};
use crate::workshop::setup::Setup;
use crate::workshop::template::{Draft, Template};
use crate::workshop::user::User;

/// The templates of this file.
pub(super) const TEMPLATES: &[Template] = &[
    Template { ability: "ambiguity", name: "which_event", build: which_event },
    Template { ability: "ambiguity", name: "event_on_another_day", build: event_on_another_day },
    Template { ability: "ambiguity", name: "which_file", build: which_file },
    Template { ability: "ambiguity", name: "which_model", build: which_model },
    Template { ability: "ambiguity", name: "how_many", build: how_many },
    Template { ability: "ambiguity", name: "move_one_to_one", build: move_one_to_one },
];

/// Two coming events of one title.
fn which_event(s: &mut Setup) -> Draft {
    let title = format!("{} rehearsal", s.projects.draw());
    let days = [s.today + 2, s.today + 5];
    let mut both = Vec::new();
    for day in days {
        both.push((s.event(&title, day, "18:10", "19:00", &[]), s.at(day, "18:10")));
    }
    s.random.shuffle(&mut both);
    let (id, start) = both.pop().unwrap_or_default();
    Draft {
        instruction: format!("Please cancel my \"{title}\"."),
        goals: vec![
            gather("events", "calendar.search_events", json!({"query": title}), vec![]),
            choose(
                "event",
                "events",
                format!("\"{title}\" takes place more than once. Which one do you mean?"),
            ),
            write("calendar.cancel_event", json!({"event_id": "{event.id}"})),
            reply("It is cancelled."),
        ],
        wanted: vec![wanted("calendar.cancel_event", json!({"event_id": id}))],
        answer: Answer::default(),
        user: User::knows(&[&title, "which", "when"], format!("I mean the one that starts at {start}.")),
    }
}

/// No event of that title on that day, but two on others.
fn event_on_another_day(s: &mut Setup) -> Draft {
    let title = format!("{} tasting", s.projects.draw());
    let date = s.day(s.today + 1);
    let mut both = Vec::new();
    for day in [s.today + 3, s.today + 6] {
        both.push((s.event(&title, day, "18:20", "19:10", &[]), s.at(day, "18:20")));
    }
    s.random.shuffle(&mut both);
    let (id, start) = both.pop().unwrap_or_default();
    let question = format!("There is no \"{title}\" on {date}, but there are others. Which one do you mean?");
    Draft {
        instruction: format!("Please cancel my \"{title}\" on {date}."),
        goals: vec![
            gather("events", "calendar.search_events", json!({"query": title}), vec![]),
            Goal::Narrow { into: "on_day", from: "events", keep: vec![has("start", &date)] },
            Goal::Choose { into: "event", from: "on_day", wide: Some("events"), question },
            write("calendar.cancel_event", json!({"event_id": "{event.id}"})),
            reply("It is cancelled."),
        ],
        wanted: vec![wanted("calendar.cancel_event", json!({"event_id": id}))],
        answer: Answer::default(),
        user: User::knows(
            &[&title, "which", "when"],
            format!("Sorry, I mean the one that starts at {start}."),
        ),
    }
}

/// Two files fit the request.
fn which_file(s: &mut Setup) -> Draft {
    let (person, owner) = (s.person(), s.person());
    let project = s.projects.draw();
    let mut both = Vec::new();
    for edition in ["long edition", "short edition"] {
        let (name, day) = (format!("{project} plan, {edition}"), s.past());
        both.push((s.file(&name, Shelf::Notes, &owner.email, day, "Steps and dates."), name));
    }
    s.random.shuffle(&mut both);
    let (id, name) = both.pop().unwrap_or_default();
    let share = |id: &str, who: &str| json!({"file_id": id, "address": who, "access": "EDIT"});
    Draft {
        instruction: format!(
            "Please share the {project} plan with {}, so that they can EDIT it.",
            person.name
        ),
        goals: vec![
            gather("files", "files.search_files", json!({"query": format!("{project} plan")}), vec![]),
            choose("file", "files", format!("There is more than one {project} plan. Which one do you mean?")),
            address("person", &person.name, None),
            write("files.share_file", share("{file.id}", "{person.email}")),
            reply("The plan is shared."),
        ],
        wanted: vec![wanted("files.share_file", share(&id, &person.email))],
        answer: Answer::default(),
        user: User::knows(&["plan", "which", "edition"], format!("I mean the file \"{name}\".")),
    }
}

/// A maker has two models, one on each side of a page's end.
fn which_model(s: &mut Setup) -> Draft {
    let kind = s.kinds.draw();
    let mut brands = BRANDS.iter().copied();
    for brand in brands.by_ref().take(9) {
        let price = s.random.between(40, 90);
        s.product(format!("{brand} {kind}"), price, 4, 12);
    }
    let brand = brands.next().unwrap_or_default();
    s.product(format!("{brand} {kind} compact"), 55, 4, 12);
    let name = format!("{brand} {kind} large");
    let id = s.product(name.clone(), 75, 4, 12);
    for brand in brands.take(3) {
        let price = s.random.between(40, 90);
        s.product(format!("{brand} {kind}"), price, 4, 12);
    }
    let add = |id: &str| json!({"product_id": id, "quantity": 1});
    Draft {
        instruction: format!("Please order one {kind} made by {brand}, by EXPRESS delivery."),
        goals: vec![
            gather("products", "shop.search_products", json!({"query": kind}), vec![has("name", brand)]),
            choose(
                "product",
                "products",
                format!("{brand} makes more than one {kind}. Which one do you mean?"),
            ),
            write("shop.add_to_cart", add("{product.id}")),
            write("shop.checkout", json!({"delivery": "EXPRESS"})),
            reply("It is ordered."),
        ],
        wanted: vec![
            wanted("shop.add_to_cart", add(&id)),
            wanted("shop.checkout", json!({"delivery": "EXPRESS"})),
        ],
        answer: Answer::default(),
        user: User::knows(&[brand, kind, "which", "model"], format!("The {name}, please.")),
    }
}

/// The number of pieces is left open.
fn how_many(s: &mut Setup) -> Draft {
    let kind = s.kinds.draw();
    let brand = s.random.pick(BRANDS);
    let name = format!("{brand} {kind}");
    let price = s.random.between(20, 60);
    let id = s.product(name.clone(), price, 4, 40);
    let quantity = s.random.between(3, 9);
    Draft {
        instruction: format!(
            "Please order the {name} for my new colleagues, one for each, by STANDARD delivery."
        ),
        goals: vec![
            gather("products", "shop.search_products", json!({"query": name}), vec![]),
            choose("product", "products", format!("Which {kind} do you mean?")),
            Goal::AskNumber {
                into: "quantity",
                question: format!(
                    "How many new colleagues are there, that is, how many of {name} do you need?"
                ),
            },
            write("shop.add_to_cart", json!({"product_id": "{product.id}", "quantity": "{quantity.number}"})),
            write("shop.checkout", json!({"delivery": "STANDARD"})),
            reply("They are ordered."),
        ],
        wanted: vec![
            wanted("shop.add_to_cart", json!({"product_id": id, "quantity": quantity})),
            wanted("shop.checkout", json!({"delivery": "STANDARD"})),
        ],
        answer: Answer::default(),
        user: User::knows(&["how many", "number", "quantity"], format!("There are {quantity} of them.")),
    }
}

/// Past events fill the first page, two coming ones fit, and the wanted hour is taken.
fn move_one_to_one(s: &mut Setup) -> Draft {
    let people = s.same_first(2);
    let first = people.first().map_or("", |person| person.first);
    let title = format!("1:1 with {first}");
    let mut both = Vec::new();
    for day in 1..=11 {
        let who = people.get(day as usize % 2).map_or("", |person| person.email.as_str());
        s.event(&title, day, "18:00", "18:30", &[who]);
    }
    for (person, day) in people.iter().zip([s.today + 1, s.today + 2]) {
        both.push((s.event(&title, day, "18:00", "18:30", &[&person.email]), s.at(day, "18:00")));
    }
    s.event("Language course", s.today + 4, "18:45", "20:00", &[]);
    s.random.shuffle(&mut both);
    let (id, start) = both.pop().unwrap_or_default();
    let date = s.day(s.today + 4);
    let slot = |id: &str, from: &str, until: &str| json!({"event_id": id, "start": from, "end": until});
    let (early, early_end) = (s.at(s.today + 4, "19:00"), s.at(s.today + 4, "19:30"));
    let (late, late_end) = (s.at(s.today + 4, "20:30"), s.at(s.today + 4, "21:00"));
    let coming = vec![is("title", title.clone()), at_least("start", s.world.now.clone())];
    Draft {
        instruction: format!(
            "Please move my coming \"{title}\" to {date} from 19:00 to 19:30. If that overlaps with another event of mine, \
             take 20:30 to 21:00 of the same day instead."
        ),
        goals: vec![
            gather("events", "calendar.search_events", json!({"query": title}), coming),
            choose("event", "events", format!("Which coming \"{title}\" do you mean?")),
            check(
                vec![gather(
                    "clashes",
                    "calendar.list_events",
                    json!({"from_date": date, "to_date": date}),
                    vec![below("start", early_end.clone()), at_least("end", s.at(s.today + 4, "19:01"))],
                )],
                When::Empty("clashes"),
                vec![write("calendar.move_event", slot("{event.id}", &early, &early_end))],
                vec![write("calendar.move_event", slot("{event.id}", &late, &late_end))],
            ),
            reply("It is moved."),
        ],
        wanted: vec![wanted("calendar.move_event", slot(&id, &late, &late_end))],
        answer: Answer::default(),
        user: User::knows(&[&title, first, "which", "when"], format!("The one that starts at {start}.")),
    }
}
