//! Calendar: the user's events. Nothing stops two events from overlapping; looking first does.

use std::collections::BTreeMap;

use palaestra_domain::tool::Effect;
use serde::Serialize;
use serde_json::{Value, json};

use crate::workshop::page::{PAGE, PAGE_SIZE, mentions, page};
use crate::workshop::tool::{Args, Kind, Param, Preset, Tool};
use crate::workshop::world::{World, fresh_id};

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Event {
    pub(crate) title: String,
    pub(crate) start: String,
    pub(crate) end: String,
    pub(crate) organiser: String,
    pub(crate) attendees: Vec<String>,
    pub(crate) location: String,
}

/// All events by id.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Calendar {
    pub(crate) events: BTreeMap<String, Event>,
}

const EVENT_ID: Param = Param::required("event_id", Kind::Text, "The event's id, as a listing gives it.");
const START: Param = Param::required("start", Kind::Time, "When it starts, as YYYY-MM-DD HH:MM.");
const END: Param = Param::required("end", Kind::Time, "When it ends, as YYYY-MM-DD HH:MM.");

/// The functions of this app.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        app: "calendar",
        function: "list_events",
        about: "Lists the events from one day to another, both included, by start.",
        effect: Effect::Read,
        params: &[
            Param::required("from_date", Kind::Date, "The first day, as YYYY-MM-DD."),
            Param::required("to_date", Kind::Date, "The last day, as YYYY-MM-DD."),
            PAGE,
            PAGE_SIZE,
        ],
        run: |world, args| {
            let last = format!("{} 24:00", args.text("to_date"));
            Ok(listing(world, args, |event| {
                event.start.as_str() >= args.text("from_date") && event.start <= last
            }))
        },
    },
    Tool {
        app: "calendar",
        function: "search_events",
        about: "Finds the events, past ones too, that mention a text in title, location or attendees, by start.",
        effect: Effect::Read,
        params: &[Param::required("query", Kind::Text, "The text to look for."), PAGE, PAGE_SIZE],
        run: |world, args| Ok(listing(world, args, |event| event.mentions(args.text("query")))),
    },
    Tool {
        app: "calendar",
        function: "create_event",
        about: "Puts a new event into the calendar and invites the attendees.",
        effect: Effect::Write,
        params: &[
            Param::required("title", Kind::Text, "The title."),
            START,
            END,
            Param {
                name: "attendees",
                kind: Kind::Addresses,
                preset: Preset::Nobody,
                about: "E-mail addresses of those invited.",
            },
            Param::text_or_empty("location", "Where it takes place."),
        ],
        run: |world, args| {
            span(args)?;
            let event = Event {
                title: args.text("title").to_owned(),
                start: args.text("start").to_owned(),
                end: args.text("end").to_owned(),
                organiser: world.owner.clone(),
                attendees: args.texts("attendees"),
                location: args.text("location").to_owned(),
            };
            let id = fresh_id("event", &event, |id| world.calendar.events.contains_key(id))?;
            let shown = shown(&id, &event);
            world.calendar.events.insert(id, event);
            Ok(shown)
        },
    },
    Tool {
        app: "calendar",
        function: "move_event",
        about: "Gives an event another time; its attendees are told.",
        effect: Effect::Write,
        params: &[EVENT_ID, START, END],
        run: |world, args| {
            span(args)?;
            let id = args.text("event_id");
            let event = world.calendar.events.get_mut(id).ok_or_else(|| no_event(id))?;
            event.start = args.text("start").to_owned();
            event.end = args.text("end").to_owned();
            Ok(shown(id, event))
        },
    },
    Tool {
        app: "calendar",
        function: "cancel_event",
        about: "Removes an event; its attendees are told.",
        effect: Effect::Write,
        params: &[EVENT_ID],
        run: |world, args| {
            let id = args.text("event_id");
            world.calendar.events.remove(id).ok_or_else(|| no_event(id))?;
            Ok(json!({ "id": id, "cancelled": true }))
        },
    },
];

impl Calendar {
    /// Whether anything takes place between two minutes.
    pub(crate) fn busy(&self, start: &str, end: &str) -> bool {
        self.events.values().any(|event| event.start.as_str() < end && event.end.as_str() > start)
    }
}

impl Event {
    fn mentions(&self, query: &str) -> bool {
        let texts = [self.title.as_str(), &self.location];
        mentions(query, texts.into_iter().chain(self.attendees.iter().map(String::as_str)))
    }
}

fn no_event(id: &str) -> String {
    format!("there is no event with the id {id}: take ids from a listing")
}

fn span(args: &Args) -> Result<(), String> {
    if args.text("start") < args.text("end") {
        Ok(())
    } else {
        Err("`end` must come after `start`".to_owned())
    }
}

fn shown(id: &str, event: &Event) -> Value {
    json!({
        "id": id, "title": event.title, "start": event.start, "end": event.end,
        "organiser": event.organiser, "attendees": event.attendees, "location": event.location,
    })
}

fn listing(world: &World, args: &Args, keep: impl Fn(&Event) -> bool) -> Value {
    let mut found: Vec<(&String, &Event)> =
        world.calendar.events.iter().filter(|(_, event)| keep(event)).collect();
    found.sort_by(|(a_id, a), (b_id, b)| a.start.cmp(&b.start).then_with(|| a_id.cmp(b_id)));
    page(found.into_iter().map(|(id, event)| shown(id, event)).collect(), args)
}
