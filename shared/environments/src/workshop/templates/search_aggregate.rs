//! Search over many things: count, sum or compare everything that fits, change nothing.

use serde_json::json;

use super::plan::{at_least, below, check, details, each, gather, has, is, lacks, look, reply};
use crate::workshop::apps::files::Shelf;
use crate::workshop::apps::shop::Status;
use crate::workshop::data::BRANDS;
use crate::workshop::intent::{Goal, When};
use crate::workshop::oracle::Answer;
use crate::workshop::setup::Setup;
use crate::workshop::template::{Draft, Template};
use crate::workshop::user::User;

/// The templates of this file.
pub(super) const TEMPLATES: &[Template] = &[
    Template { ability: "search", name: "count_mails", build: count_mails },
    Template { ability: "search", name: "delivered_total", build: delivered_total },
    Template { ability: "search", name: "cheapest_rated", build: cheapest_rated },
    Template { ability: "search", name: "valid_report_size", build: valid_report_size },
];

fn question(instruction: String, goals: Vec<Goal>, answer: Answer) -> Draft {
    Draft { instruction, goals, wanted: Vec::new(), answer, user: User::silent() }
}

/// More e-mails than a page holds; some others only mention the sender.
fn count_mails(s: &mut Setup) -> Draft {
    let (name, from) = s.vendor();
    let gossip = s.person();
    let count = s.random.between(12, 19);
    for number in 0..count {
        let day = s.past();
        s.mail(&from, &format!("{name} bulletin {}", number + 1), "All the news of the week.", day);
    }
    let day = s.past();
    s.mail(&gossip.email, "Bulletins", &format!("Do you still get those of {from}?"), day);
    question(
        format!("How many e-mails from {from} are in my INBOX?"),
        vec![
            gather(
                "mails",
                "mail.search_emails",
                json!({"query": from, "folder": "INBOX"}),
                vec![is("from", from)],
            ),
            Goal::Count { into: "count", from: "mails" },
            reply("There are {count.number}."),
        ],
        Answer::names(count),
    )
}

/// More orders than a page holds, some of them outside the days asked for.
fn delivered_total(s: &mut Setup) -> Draft {
    for _ in 0..12 {
        let day = s.past();
        s.order(day, Status::Delivered);
    }
    let (first, last) = (s.day(2), s.day(s.today - 1));
    let orders = s.world.shop.orders.values();
    let total: u32 = orders
        .filter(|order| order.status == Status::Delivered && order.date >= first && order.date < last)
        .map(|order| order.total_usd)
        .sum();
    question(
        format!(
            "What is the total, in whole dollars, of my DELIVERED shop orders that were placed on or after {first} and \
             before {last}?"
        ),
        vec![
            gather(
                "orders",
                "shop.list_orders",
                json!({"status": "DELIVERED"}),
                vec![at_least("date", first), below("date", last)],
            ),
            Goal::Sum { into: "total", from: "orders", field: "total_usd" },
            reply("The total is {total.number} dollars."),
        ],
        Answer::names(total),
    )
}

/// The one looked for stands on the second page.
fn cheapest_rated(s: &mut Setup) -> Draft {
    let kind = s.kinds.draw();
    let best = s.random.between(10, 13);
    let mut answer = Answer::default();
    for (index, brand) in (0..).zip(BRANDS.iter().take(14)) {
        let (price, rating) = if index == best {
            (s.random.between(40, 49), s.random.between(4, 5))
        } else if index % 3 == 0 {
            (20 + index, s.random.between(1, 3))
        } else {
            (60 + index * 2, s.random.between(3, 5))
        };
        let name = format!("{brand} {kind}");
        if index == best {
            answer.must = vec![name.clone(), price.to_string()];
        }
        s.product(name, price, rating, 9);
    }
    question(
        format!(
            "Which is the cheapest {kind} in the shop with a rating of at least 4? Give its name and its price."
        ),
        vec![
            gather("products", "shop.search_products", json!({"query": kind}), vec![at_least("rating", 4)]),
            Goal::Lowest { into: "product", from: "products", field: "price_usd" },
            reply("It is {product.name} at {product.price_usd} dollars."),
        ],
        answer,
    )
}

/// More files than a page holds, each to be read first, of one of two namesakes.
fn valid_report_size(s: &mut Setup) -> Draft {
    let (other, person) = s.namesakes();
    let project = s.projects.draw();
    let mut total = 0;
    for number in 0..s.random.between(13, 16) {
        let (obsolete, day) = (number % 4 == 2, s.past());
        let text = if obsolete { "This report is obsolete." } else { "Approved." };
        let name = format!("{project} audit {:02}", number + 1);
        let id = s.file(&name, Shelf::Reports, &person.email, day, text);
        if !obsolete {
            total += s.world.files.files.get(&id).map_or(0, |file| file.size_kb);
        }
    }
    for number in 0..2 {
        let day = s.past();
        s.file(&format!("{project} audit 0{number} copy"), Shelf::Reports, &other.email, day, "Approved.");
    }
    question(
        format!(
            "How many KB in all do the {project} audit files in REPORTS take up that belong to {} from {}? Leave out those \
             whose text says that the report is obsolete.",
            person.name, person.company
        ),
        vec![
            details("person", &person.name, Some(is("company", person.company))),
            gather(
                "files",
                "files.search_files",
                json!({"query": format!("{project} audit")}),
                vec![is("owner", "{person.email}"), has("folder", "REPORTS")],
            ),
            each(
                "file",
                "files",
                vec![check(
                    vec![look("full", "files.read_file", json!({"file_id": "{file.id}"}))],
                    When::Fits("full", lacks("text", "is obsolete")),
                    vec![Goal::Take { into: "valid", item: "file" }],
                    vec![],
                )],
            ),
            Goal::Sum { into: "total", from: "valid", field: "size_kb" },
            reply("They take up {total.number} KB."),
        ],
        Answer::names(total),
    )
}
