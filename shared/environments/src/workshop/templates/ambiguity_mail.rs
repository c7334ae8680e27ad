//! Ambiguity, people and e-mail: the request leaves something open, or only seems to.

use serde_json::json;

use super::plan::{address, choose, gather, has, is, reply, which, write};
use crate::workshop::oracle::{Answer, wanted};
use crate::workshop::setup::{Person, Setup};
use crate::workshop::template::{Draft, Template};
use crate::workshop::user::User;

/// The templates of this file.
pub(super) const TEMPLATES: &[Template] = &[
    Template { ability: "ambiguity", name: "which_person", build: which_person },
    Template { ability: "ambiguity", name: "person_by_company", build: person_by_company },
    Template { ability: "ambiguity", name: "which_mail_to_answer", build: which_mail_to_answer },
    Template { ability: "ambiguity", name: "only_one_fits", build: only_one_fits },
    Template { ability: "ambiguity", name: "which_conversation", build: which_conversation },
];

/// One of some people, whichever is meant.
fn one_of(s: &mut Setup, mut people: Vec<Person>) -> Option<Person> {
    s.random.shuffle(&mut people);
    people.pop()
}

/// Three people share the first name that is given.
fn which_person(s: &mut Setup) -> Draft {
    let people = s.same_first(3);
    let first = people.first().map_or("", |person| person.first);
    let project = s.projects.draw();
    let time = s.random.pick(&["10:25", "12:35", "15:55"]);
    let subject = format!("{project} lunch");
    let body = format!("Lunch is at {time}.");
    let meant = one_of(s, people);
    let (email, name, company) =
        meant.map_or_else(Default::default, |person| (person.email, person.name, person.company));
    Draft {
        instruction: format!(
            "Please send {first} an e-mail with the subject \"{subject}\" that says that lunch is at {time}."
        ),
        goals: vec![
            address("person", first, None),
            write("mail.send_email", json!({"to": ["{person.email}"], "subject": subject, "body": body})),
            reply("The e-mail is sent."),
        ],
        wanted: vec![
            wanted("mail.send_email", json!({"to": [email], "subject": subject, "body": body}))
                .loose("body", &[time]),
        ],
        answer: Answer::default(),
        user: User::knows(&[first, "which", "who"], format!("I mean {name} from {company}.")),
    }
}

/// Three people share the first name, but the request tells them apart.
fn person_by_company(s: &mut Setup) -> Draft {
    let people = s.same_first(3);
    let project = s.projects.draw();
    let subject = format!("{project} badge");
    let body = "Your badge is ready at the front desk.";
    // The first in the listing is never the one: whoever does not compare companies is wrong.
    let mut sorted = people;
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let meant = one_of(s, sorted.split_off(1));
    let (first, email, company) =
        meant.map_or_else(Default::default, |person| (person.first, person.email, person.company));
    Draft {
        instruction: format!(
            "Please send {first}, the one who works for {company}, an e-mail with the subject \"{subject}\" that says that \
             the badge is ready."
        ),
        goals: vec![
            address("person", first, Some(is("company", company))),
            write("mail.send_email", json!({"to": ["{person.email}"], "subject": subject, "body": body})),
            reply("The e-mail is sent."),
        ],
        wanted: vec![
            wanted("mail.send_email", json!({"to": [email], "subject": subject, "body": body}))
                .loose("body", &["badge"]),
        ],
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// Two e-mails of one person fit the request.
fn which_mail_to_answer(s: &mut Setup) -> Draft {
    let person = s.person();
    let project = s.projects.draw();
    let subjects = [format!("{project} offer, first part"), format!("{project} offer, second part")];
    let mut ids = Vec::new();
    for subject in &subjects {
        let day = s.past();
        ids.push((s.mail(&person.email, subject, "Do you agree with this part?", day), subject.clone()));
    }
    s.random.shuffle(&mut ids);
    let (id, subject) = ids.pop().unwrap_or_default();
    Draft {
        instruction: format!(
            "{} ({}) has sent me a {project} offer by e-mail. Please reply that I agree.",
            person.name, person.email
        ),
        goals: vec![
            gather(
                "mails",
                "mail.search_emails",
                json!({"query": format!("{project} offer"), "folder": "INBOX"}),
                vec![is("from", person.email.clone())],
            ),
            choose("mail", "mails", "There is more than one e-mail with that offer. Which part do you mean?"),
            write("mail.reply_to_email", json!({"email_id": "{mail.id}", "body": "I agree."})),
            reply("The e-mail is answered."),
        ],
        wanted: vec![
            wanted("mail.reply_to_email", json!({"email_id": id, "body": "I agree."}))
                .loose("body", &["agree"]),
        ],
        answer: Answer::default(),
        user: User::knows(&["offer", "which", "part"], format!("The one with the subject \"{subject}\".")),
    }
}

/// Several e-mails mention the project, but only one can be meant: nothing needs to be asked.
fn only_one_fits(s: &mut Setup) -> Draft {
    let (person, other) = (s.person(), s.person());
    let project = s.projects.draw();
    let day = s.past();
    let id = s.mail(&person.email, &format!("{project} budget"), "Is the budget fine with you?", day);
    s.mail(&person.email, &format!("{project} canteen"), "The canteen is closed on that day.", day);
    s.mail(&other.email, &format!("{project} budget"), "For your files: the budget.", day);
    Draft {
        instruction: format!(
            "{} ({}) wants to know whether the {project} budget is fine with me. Please reply to that e-mail that I accept it.",
            person.name, person.email
        ),
        goals: vec![
            gather(
                "mails",
                "mail.search_emails",
                json!({"query": project, "folder": "INBOX"}),
                vec![is("from", person.email), has("subject", "budget")],
            ),
            choose("mail", "mails", which("e-mail")),
            write("mail.reply_to_email", json!({"email_id": "{mail.id}", "body": "I accept the budget."})),
            reply("The e-mail is answered."),
        ],
        wanted: vec![
            wanted("mail.reply_to_email", json!({"email_id": id, "body": "I accept the budget."}))
                .loose("body", &["accept"]),
        ],
        answer: Answer::default(),
        user: User::silent(),
    }
}

/// Two conversations fit the request.
fn which_conversation(s: &mut Setup) -> Draft {
    let (person, other) = (s.person(), s.person());
    let project = s.projects.draw();
    let mut both = Vec::new();
    for (group, member) in [("designers", &person), ("testers", &other)] {
        let title = format!("{project} {group}");
        both.push((s.conversation(&title, &[&member.email]), title));
    }
    s.random.shuffle(&mut both);
    let (id, title) = both.pop().unwrap_or_default();
    let time = s.random.pick(&["09:35", "11:05", "16:15"]);
    let text = format!("The build is ready at {time}.");
    Draft {
        instruction: format!(
            "Please write into the {project} conversation that the build is ready at {time}. It is only for the group that \
             waits for it."
        ),
        goals: vec![
            gather("conversations", "messages.find_conversations", json!({"query": project}), vec![]),
            choose(
                "conversation",
                "conversations",
                format!("There is more than one conversation about {project}. Which group do you mean?"),
            ),
            write("messages.send_message", json!({"conversation_id": "{conversation.id}", "text": text})),
            reply("The group knows."),
        ],
        wanted: vec![
            wanted("messages.send_message", json!({"conversation_id": id, "text": text}))
                .loose("text", &[time]),
        ],
        answer: Answer::default(),
        user: User::knows(
            &["conversation", "which", "group"],
            format!("The conversation called \"{title}\"."),
        ),
    }
}
