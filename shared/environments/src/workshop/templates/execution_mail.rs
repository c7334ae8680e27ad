//! Execution, mail and contacts: the instruction says everything, all of it has to be done.

use serde_json::json;

use super::plan::{address, check, choose, each, gather, has, is, lacks, look, reply, which, write};
use crate::workshop::intent::{Goal, When};
use crate::workshop::oracle::{Answer, wanted};
use crate::workshop::setup::Setup;
use crate::workshop::template::{Draft, Template};
use crate::workshop::user::User;

/// The templates of this file.
pub(super) const TEMPLATES: &[Template] = &[
    Template { ability: "execution", name: "archive_sender", build: archive_sender },
    Template { ability: "execution", name: "send_note", build: send_note },
    Template { ability: "execution", name: "reply_then_archive", build: reply_then_archive },
    Template { ability: "execution", name: "update_phone", build: update_phone },
    Template { ability: "execution", name: "forward_unpaid", build: forward_unpaid },
];

/// More e-mails than a page holds; some others only mention the sender.
fn archive_sender(s: &mut Setup) -> Draft {
    let (name, from) = s.vendor();
    let gossip = s.person();
    let mut ids = Vec::new();
    for number in 0..s.random.between(12, 16) {
        let day = s.past();
        ids.push(s.mail(&from, &format!("{name} offer {}", number + 1), "See what is new.", day));
    }
    for _ in 0..2 {
        let day = s.past();
        s.mail(&gossip.email, "Prices", &format!("Have you seen what {from} wants for it?"), day);
    }
    Draft {
        instruction: format!("Please move every e-mail that {from} has sent me from INBOX to ARCHIVE."),
        goals: vec![
            gather(
                "mails",
                "mail.search_emails",
                json!({"query": from, "folder": "INBOX"}),
                vec![is("from", from)],
            ),
            each(
                "mail",
                "mails",
                vec![write("mail.move_email", json!({"email_id": "{mail.id}", "folder": "ARCHIVE"}))],
            ),
            reply("All e-mails of that sender are in ARCHIVE."),
        ],
        wanted: ids
            .iter()
            .map(|id| wanted("mail.move_email", json!({"email_id": id, "folder": "ARCHIVE"})))
            .collect(),
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// One person of that name, one e-mail.
fn send_note(s: &mut Setup) -> Draft {
    let person = s.person();
    let project = s.projects.draw();
    let time = s.random.pick(&["09:15", "11:40", "14:20", "16:50"]);
    let subject = format!("{project} review");
    let body = format!("The {project} review starts at {time}.");
    Draft {
        instruction: format!(
            "Please send {} an e-mail with the subject \"{subject}\" that says that the review starts at {time}.",
            person.name
        ),
        goals: vec![
            address("person", &person.name, None),
            write("mail.send_email", json!({"to": ["{person.email}"], "subject": subject, "body": body})),
            reply("The e-mail is sent."),
        ],
        wanted: vec![
            wanted("mail.send_email", json!({"to": [person.email], "subject": subject, "body": body}))
                .loose("body", &[time]),
        ],
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// Two writes whose order the instruction fixes.
fn reply_then_archive(s: &mut Setup) -> Draft {
    let person = s.person();
    let project = s.projects.draw();
    let subject = format!("{project} visit");
    let (first_day, day) = (s.past(), s.future());
    let date = s.day(day);
    let id = s.mail(&person.email, &subject, "Which day would suit you?", first_day);
    s.mail(&person.email, &format!("{project} parking"), "You can park in the yard.", first_day);
    let body = format!("{date} suits me well.");
    let find = gather(
        "mails",
        "mail.search_emails",
        json!({"query": subject, "folder": "INBOX"}),
        vec![is("from", person.email.clone()), is("subject", subject.clone())],
    );
    Draft {
        instruction: format!(
            "{} ({}) has sent me an e-mail with the subject \"{subject}\". Please first reply to it that {date} suits \
             me, and only then move it to ARCHIVE.",
            person.name, person.email
        ),
        goals: vec![
            find,
            choose("mail", "mails", which("e-mail")),
            Goal::InOrder {
                first: vec![write("mail.reply_to_email", json!({"email_id": "{mail.id}", "body": body}))],
                then: vec![write("mail.move_email", json!({"email_id": "{mail.id}", "folder": "ARCHIVE"}))],
            },
            reply("The e-mail is answered and archived."),
        ],
        wanted: vec![
            wanted("mail.reply_to_email", json!({"email_id": id, "body": body})).loose("body", &[&date]),
            wanted("mail.move_email", json!({"email_id": id, "folder": "ARCHIVE"})).stage(1),
        ],
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// The new value stands in an e-mail.
fn update_phone(s: &mut Setup) -> Draft {
    let person = s.person();
    let (number, day) = (s.phone(), s.past());
    let body = format!("Hello, from now on my number is {number}. The old one is switched off.");
    s.mail(&person.email, "My new telephone number", &body, day);
    Draft {
        instruction: format!(
            "{} has written to me from {} about a new telephone number. Please put it into my contacts.",
            person.name, person.email
        ),
        goals: vec![
            gather(
                "mails",
                "mail.search_emails",
                json!({"query": "telephone number", "folder": "INBOX"}),
                vec![is("from", person.email.clone())],
            ),
            choose("mail", "mails", which("e-mail")),
            look("full", "mail.get_email", json!({"email_id": "{mail.id}"})),
            Goal::Extract { into: "phone", text: "{full.body}".to_owned(), after: "number is ", until: "." },
            gather("people", "contacts.find_contacts", json!({"query": person.email}), vec![]),
            choose("person", "people", which("person")),
            write(
                "contacts.update_contact",
                json!({"contact_id": "{person.id}", "field": "PHONE", "value": "{phone.text}"}),
            ),
            reply("The new number is in the contacts."),
        ],
        wanted: vec![wanted(
            "contacts.update_contact",
            json!({"contact_id": person.id, "field": "PHONE", "value": number}),
        )],
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// More e-mails than a page holds, each to be read first, for one of two namesakes. More than a
/// page of them is open, so that the first page is never enough.
fn forward_unpaid(s: &mut Setup) -> Draft {
    let (name, from) = s.vendor();
    let (_, person) = s.namesakes();
    let mut open = Vec::new();
    for number in 0..s.random.between(15, 17) {
        let (paid, day) = (number % 4 == 1, s.past());
        let state = if paid { "This invoice has been settled." } else { "Payment is due in two weeks." };
        let id = s.mail(&from, &format!("{name} invoice {}", 300 + number * 7), state, day);
        if !paid {
            open.push(id);
        }
    }
    let forward = write("mail.forward_email", json!({"email_id": "{mail.id}", "to": ["{person.email}"]}));
    Draft {
        instruction: format!(
            "Please forward every invoice e-mail from {from} in my INBOX to {} at {}, except those whose text says that \
             the invoice has been settled.",
            person.name, person.company
        ),
        goals: vec![
            gather(
                "mails",
                "mail.search_emails",
                json!({"query": from, "folder": "INBOX"}),
                vec![is("from", from), has("subject", "invoice")],
            ),
            address("person", &person.name, Some(is("company", person.company))),
            each(
                "mail",
                "mails",
                vec![check(
                    vec![look("full", "mail.get_email", json!({"email_id": "{mail.id}"}))],
                    When::Fits("full", lacks("body", "has been settled")),
                    vec![forward],
                    vec![],
                )],
            ),
            reply("The open invoices are forwarded."),
        ],
        wanted: open
            .iter()
            .map(|id| {
                wanted("mail.forward_email", json!({"email_id": id, "to": [person.email]}))
                    .loose("comment", &[])
            })
            .collect(),
        answer: Answer::default(),
        user: User::silent(),
    }
}
