//! Search for one thing: follow the evidence, change nothing, name the smallest answer.

use serde_json::json;

use super::plan::{at_least, choose, details, gather, has, is, lacks, look, reply, which};
use crate::workshop::apps::files::Shelf;
use crate::workshop::intent::{Goal, When};
use crate::workshop::oracle::Answer;
use crate::workshop::setup::Setup;
use crate::workshop::template::{Draft, Template};
use crate::workshop::user::User;

/// The templates of this file.
pub(super) const TEMPLATES: &[Template] = &[
    Template { ability: "search", name: "find_phone", build: find_phone },
    Template { ability: "search", name: "namesake_city", build: namesake_city },
    Template { ability: "search", name: "next_event", build: next_event },
    Template { ability: "search", name: "organiser_phone", build: organiser_phone },
    Template { ability: "search", name: "oldest_valid_contract", build: oldest_valid_contract },
];

fn question(instruction: String, goals: Vec<Goal>, answer: Answer) -> Draft {
    Draft { instruction, goals, wanted: Vec::new(), answer, user: User::silent() }
}

/// One person of that name.
fn find_phone(s: &mut Setup) -> Draft {
    let person = s.person();
    question(
        format!("What is the telephone number of {}?", person.name),
        vec![
            details("person", &person.name, None),
            look("full", "contacts.get_contact", json!({"contact_id": "{person.id}"})),
            reply("The number is {full.phone}."),
        ],
        Answer::names(person.phone),
    )
}

/// Two people of that name; the company tells them apart.
fn namesake_city(s: &mut Setup) -> Draft {
    let (mut other, mut person) = s.namesakes();
    while other.city == person.city {
        (other, person) = s.namesakes();
    }
    question(
        format!("In which city does {} from {} live?", person.name, person.company),
        vec![
            details("person", &person.name, Some(is("company", person.company))),
            look("full", "contacts.get_contact", json!({"contact_id": "{person.id}"})),
            reply("{person.name} lives in {full.city}."),
        ],
        Answer { must: vec![person.city], must_not: vec![other.city] },
    )
}

/// Past and future events of one title.
fn next_event(s: &mut Setup) -> Draft {
    let title = format!("{} breakfast", s.projects.draw());
    for back in [3, 7] {
        s.event(&title, s.today - back, "08:15", "09:00", &[]);
    }
    let day = s.random.between(s.today + 1, s.today + 4);
    let time = s.random.pick(&["07:45", "08:05", "08:20", "09:10"]);
    s.event(&title, day, time, "09:30", &[]);
    s.event(&title, day + 6, "08:15", "09:00", &[]);
    question(
        format!("When does my next \"{title}\" start? Give date and time as YYYY-MM-DD HH:MM."),
        vec![
            gather(
                "events",
                "calendar.search_events",
                json!({"query": title}),
                vec![is("title", title), at_least("start", s.world.now.clone())],
            ),
            Goal::Lowest { into: "event", from: "events", field: "start" },
            reply("It starts at {event.start}."),
        ],
        Answer::names(s.at(day, time)),
    )
}

/// From an event to its organiser to that person's number.
fn organiser_phone(s: &mut Setup) -> Draft {
    let (organiser, guest) = (s.person(), s.person());
    let (project, day) = (s.projects.draw(), s.future());
    let title = format!("{project} site visit");
    s.event(&title, day, "13:00", "16:00", &[&organiser.email, &guest.email]);
    question(
        format!("What is the telephone number of the organiser of my event \"{title}\"?"),
        vec![
            gather("events", "calendar.search_events", json!({"query": title}), vec![]),
            choose("event", "events", which("event")),
            gather(
                "people",
                "contacts.find_contacts",
                json!({"query": "{event.organiser}"}),
                vec![is("email", "{event.organiser}")],
            ),
            choose("person", "people", which("person")),
            look("full", "contacts.get_contact", json!({"contact_id": "{person.id}"})),
            reply("The organiser's number is {full.phone}."),
        ],
        Answer { must: vec![organiser.phone], must_not: vec![guest.phone] },
    )
}

/// The oldest versions are withdrawn, which only their text tells.
fn oldest_valid_contract(s: &mut Setup) -> Draft {
    let project = s.projects.draw();
    let withdrawn = s.random.between(1, 2);
    let mut owners = Vec::new();
    for version in 0..4 {
        let owner = s.person();
        let text =
            if version < withdrawn { "This version has been withdrawn." } else { "Signed by both sides." };
        let name = format!("{project} contract version {}", version + 1);
        s.file(&name, Shelf::Contracts, &owner.email, 1 + version * 2, text);
        owners.push(owner.email);
    }
    let index = withdrawn as usize;
    let must = owners.get(index).cloned().into_iter().collect();
    let must_not = owners.into_iter().take(index).collect();
    question(
        format!(
            "Several files in CONTRACTS are versions of the {project} contract. Take the one that was modified first \
             among those whose text does not say that it has been withdrawn: what is its owner's e-mail address?"
        ),
        vec![
            gather(
                "files",
                "files.search_files",
                json!({"query": project}),
                vec![has("name", "contract"), is("folder", "CONTRACTS")],
            ),
            Goal::FirstThat {
                into: "file",
                from: "files",
                by: "modified",
                reads: vec![look("full", "files.read_file", json!({"file_id": "{file.id}"}))],
                when: When::Fits("full", lacks("text", "has been withdrawn")),
                then: vec![],
            },
            reply("Its owner is {file.owner}."),
        ],
        Answer { must, must_not },
    )
}
