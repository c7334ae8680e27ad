//! Execution, calendar, shop and files: the instruction says everything, all of it has to be done.

use serde_json::json;

use super::plan::{address, at_least, below, check, choose, each, gather, has, look, reply, which, write};
use crate::workshop::apps::files::Shelf;
use crate::workshop::apps::shop::Status;
use crate::workshop::data::BRANDS;
use crate::workshop::intent::{Goal, When};
use crate::workshop::oracle::{Answer, wanted};
use crate::workshop::setup::Setup;
use crate::workshop::template::{Draft, Template};
use crate::workshop::user::User;

/// The templates of this file.
pub(super) const TEMPLATES: &[Template] = &[
    Template { ability: "execution", name: "book_or_fall_back", build: book_or_fall_back },
    Template { ability: "execution", name: "cancel_stale_orders", build: cancel_stale_orders },
    Template { ability: "execution", name: "buy_cheapest_in_stock", build: buy_cheapest_in_stock },
    Template { ability: "execution", name: "share_project_files", build: share_project_files },
    Template { ability: "execution", name: "move_and_tell", build: move_and_tell },
];

/// The wanted slot is mostly taken, which only the calendar tells.
fn book_or_fall_back(s: &mut Setup) -> Draft {
    let person = s.person();
    let (project, day) = (s.projects.draw(), s.future());
    let title = format!("{project} planning");
    if s.random.chance(3, 4) {
        s.event("Dentist", day, "10:30", "11:30", &[]);
    }
    let (date, start, end) = (s.day(day), s.at(day, "10:00"), s.at(day, "11:00"));
    let (late, later) = (s.at(day, "18:30"), s.at(day, "19:30"));
    let busy = s.world.calendar.busy(&start, &end);
    let (from, until) = if busy { (&late, &later) } else { (&start, &end) };
    let book = |from: &str, until: &str, who: &str| json!({"title": title, "start": from, "end": until, "attendees": [who]});
    Draft {
        instruction: format!(
            "Please put a meeting \"{title}\" with {} into my calendar on {date} from 10:00 to 11:00. If I have \
             anything else in that hour, book it from 18:30 to 19:30 of the same day instead.",
            person.name
        ),
        goals: vec![
            address("person", &person.name, None),
            check(
                vec![gather(
                    "clashes",
                    "calendar.list_events",
                    json!({"from_date": date, "to_date": date}),
                    vec![below("start", end.clone()), at_least("end", s.at(day, "10:01"))],
                )],
                When::Empty("clashes"),
                vec![write("calendar.create_event", book(&start, &end, "{person.email}"))],
                vec![write("calendar.create_event", book(&late, &later, "{person.email}"))],
            ),
            reply("The meeting is in the calendar."),
        ],
        wanted: vec![
            wanted("calendar.create_event", book(from, until, &person.email)).loose("location", &[]),
        ],
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// More orders than a page holds, some of them too young.
fn cancel_stale_orders(s: &mut Setup) -> Draft {
    let limit = s.today - 3;
    let mut stale = Vec::new();
    for number in 0..s.random.between(13, 16) {
        let day = if number < 3 { limit + number } else { s.random.between(1, limit - 1) };
        let id = s.order(day, Status::Processing);
        if day < limit {
            stale.push(id);
        }
    }
    let date = s.day(limit);
    Draft {
        instruction: format!(
            "Please cancel all my shop orders that are still PROCESSING and were placed before {date}."
        ),
        goals: vec![
            gather("orders", "shop.list_orders", json!({"status": "PROCESSING"}), vec![below("date", date)]),
            each("order", "orders", vec![write("shop.cancel_order", json!({"order_id": "{order.id}"}))]),
            reply("The old orders are cancelled."),
        ],
        wanted: stale.iter().map(|id| wanted("shop.cancel_order", json!({"order_id": id}))).collect(),
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// The cheapest ones stand on the second page, and the very cheapest is sold out.
fn buy_cheapest_in_stock(s: &mut Setup) -> Draft {
    let (kind, quantity) = (s.kinds.draw(), s.random.between(2, 4));
    let mut target = String::new();
    for (index, brand) in BRANDS.iter().enumerate().take(14) {
        let base = u32::try_from(index).unwrap_or(0) * 3;
        let (price, stock) = match index {
            11 => (31, 1),
            12 => (38 + s.random.between(0, 9), 20),
            _ => (90 + base + s.random.between(0, 2), s.random.between(5, 30)),
        };
        let id = s.product(format!("{brand} {kind}"), price, 3, stock);
        if index == 12 {
            target = id;
        }
    }
    Draft {
        instruction: format!(
            "Please order {quantity} pieces of the cheapest {kind} that the shop has at least {quantity} of in stock, \
             by STANDARD delivery."
        ),
        goals: vec![
            gather("products", "shop.search_products", json!({"query": kind}), vec![has("name", kind)]),
            Goal::FirstThat {
                into: "product",
                from: "products",
                by: "price_usd",
                reads: vec![look("full", "shop.get_product", json!({"product_id": "{product.id}"}))],
                when: When::Fits("full", at_least("stock", quantity)),
                then: vec![write(
                    "shop.add_to_cart",
                    json!({"product_id": "{product.id}", "quantity": quantity}),
                )],
            },
            write("shop.checkout", json!({"delivery": "STANDARD"})),
            reply("{product.name} is ordered."),
        ],
        wanted: vec![
            wanted("shop.add_to_cart", json!({"product_id": target, "quantity": quantity})),
            wanted("shop.checkout", json!({"delivery": "STANDARD"})),
        ],
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// More files than a page holds.
fn share_project_files(s: &mut Setup) -> Draft {
    let (project, person, owner) = (s.projects.draw(), s.person(), s.person());
    let mut ids = Vec::new();
    for number in 1..=s.random.between(12, 15) {
        let day = s.past();
        let name = format!("{project} report {number:02}");
        ids.push(s.file(&name, Shelf::Reports, &owner.email, day, "Figures and findings."));
    }
    let day = s.past();
    s.file(&format!("{project} notes"), Shelf::Notes, &owner.email, day, "Private thoughts.");
    Draft {
        instruction: format!(
            "Please share every file in REPORTS whose name mentions {project} with {}, so that they can VIEW it.",
            person.name
        ),
        goals: vec![
            gather(
                "files",
                "files.search_files",
                json!({"query": project}),
                vec![has("name", project), has("folder", "REPORTS")],
            ),
            address("person", &person.name, None),
            each(
                "file",
                "files",
                vec![write(
                    "files.share_file",
                    json!({"file_id": "{file.id}", "address": "{person.email}", "access": "VIEW"}),
                )],
            ),
            reply("The reports are shared."),
        ],
        wanted: ids
            .iter()
            .map(|id| {
                wanted("files.share_file", json!({"file_id": id, "address": person.email, "access": "VIEW"}))
            })
            .collect(),
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// Whether to move is for the calendar to say; the team is told either way.
fn move_and_tell(s: &mut Setup) -> Draft {
    let (project, day, old) = (s.projects.draw(), s.future(), s.today);
    let (title, team) = (format!("{project} demonstration"), format!("{project} crew"));
    let event = s.event(&title, old, "18:00", "19:00", &[]);
    let conversation = s.conversation(&team, &["me@office.example"]);
    if s.random.chance(3, 4) {
        s.event("School play", day, "19:00", "21:00", &[]);
    }
    let (date, start, end) = (s.day(day), s.at(day, "19:30"), s.at(day, "20:30"));
    let stays = s.world.calendar.busy(&start, &end);
    let moved = json!({"event_id": "{event.id}", "start": start, "end": end});
    let tell = |id: &str, when: &str| json!({"conversation_id": id, "text": format!("The {title} starts at {when}.")});
    let (old_time, id) = (s.at(old, "18:00"), "{conversation.id}");
    let final_time = if stays { old_time.clone() } else { start.clone() };
    let told = wanted("messages.send_message", tell(&conversation, &final_time))
        .loose("text", &[&final_time])
        .stage(1);
    let shift = wanted("calendar.move_event", json!({"event_id": event, "start": start, "end": end}));
    Draft {
        instruction: format!(
            "Please move my event \"{title}\" to {date}, 19:30 to 20:30, unless that overlaps with another event of mine; \
             then leave it where it is. Afterwards write into the conversation \"{team}\" when it starts, with date and \
             time as YYYY-MM-DD HH:MM."
        ),
        goals: vec![
            gather("events", "calendar.search_events", json!({"query": title}), vec![]),
            choose("event", "events", which("event")),
            gather("conversations", "messages.find_conversations", json!({"query": team}), vec![]),
            choose("conversation", "conversations", which("conversation")),
            check(
                vec![gather(
                    "clashes",
                    "calendar.list_events",
                    json!({"from_date": date, "to_date": date}),
                    vec![below("start", end.clone()), at_least("end", s.at(day, "19:31"))],
                )],
                When::Empty("clashes"),
                vec![write("calendar.move_event", moved), write("messages.send_message", tell(id, &start))],
                vec![write("messages.send_message", tell(id, &old_time))],
            ),
            reply("The team knows when it starts."),
        ],
        wanted: if stays { vec![told] } else { vec![shift, told] },
        answer: Answer::default(),
        user: User::silent(),
    }
}
