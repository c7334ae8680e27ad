//! Mail: four folders, search, and writing to people.

use std::collections::BTreeMap;

use palaestra_domain::tool::Effect;
use serde::Serialize;
use serde_json::{Value, json};

use crate::workshop::page::{PAGE, PAGE_SIZE, mentions, page};
use crate::workshop::tool::{Args, Kind, Param, Tool, words};
use crate::workshop::world::{World, fresh_id};

words! {
    /// Where an e-mail lies.
    Folder { Inbox = "INBOX", Sent = "SENT", Archive = "ARCHIVE", Trash = "TRASH" }
}

/// One e-mail.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Email {
    pub(crate) folder: Folder,
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
    pub(crate) subject: String,
    pub(crate) body: String,
    pub(crate) date: String,
}

/// All e-mails by id.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Mail {
    pub(crate) emails: BTreeMap<String, Email>,
}

const EMAIL_ID: Param = Param::required("email_id", Kind::Text, "The e-mail's id, as a listing gives it.");
const TO: Param = Param::required("to", Kind::Addresses, "E-mail addresses of the recipients.");
const FOLDER: Param = Param::required("folder", Kind::Choice(Folder::WORDS), "A mail folder.");

/// The functions of this app.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        app: "mail",
        function: "list_emails",
        about: "Lists the e-mails of one folder, newest first, without their bodies.",
        effect: Effect::Read,
        params: &[FOLDER, PAGE, PAGE_SIZE],
        run: |world, args| {
            let folder = Folder::read(args.text("folder"))?;
            Ok(listing(world, args, |email| email.folder == folder))
        },
    },
    Tool {
        app: "mail",
        function: "search_emails",
        about: "Finds the e-mails of one folder that mention a text in sender, recipients, subject or body, \
                newest first, without their bodies.",
        effect: Effect::Read,
        params: &[Param::required("query", Kind::Text, "The text to look for."), FOLDER, PAGE, PAGE_SIZE],
        run: |world, args| {
            let folder = Folder::read(args.text("folder"))?;
            Ok(listing(world, args, |email| email.folder == folder && email.mentions(args.text("query"))))
        },
    },
    Tool {
        app: "mail",
        function: "get_email",
        about: "Shows one e-mail with its body.",
        effect: Effect::Read,
        params: &[EMAIL_ID],
        run: |world, args| {
            let id = args.text("email_id");
            let email = world.mail.get(id)?;
            Ok(json!({
                "id": id, "folder": email.folder, "from": email.from, "to": email.to,
                "subject": email.subject, "body": email.body, "date": email.date,
            }))
        },
    },
    Tool {
        app: "mail",
        function: "send_email",
        about: "Sends a new e-mail.",
        effect: Effect::Write,
        params: &[
            TO,
            Param::required("subject", Kind::Text, "The subject line."),
            Param::required("body", Kind::Text, "The text of the e-mail."),
        ],
        run: |world, args| {
            send(world, args.texts("to"), args.text("subject").to_owned(), args.text("body").to_owned())
        },
    },
    Tool {
        app: "mail",
        function: "reply_to_email",
        about: "Answers the sender of an e-mail.",
        effect: Effect::Write,
        params: &[EMAIL_ID, Param::required("body", Kind::Text, "The text of the answer.")],
        run: |world, args| {
            let email = world.mail.get(args.text("email_id"))?;
            let (to, subject) = (vec![email.from.clone()], format!("Re: {}", email.subject));
            send(world, to, subject, args.text("body").to_owned())
        },
    },
    Tool {
        app: "mail",
        function: "forward_email",
        about: "Sends an e-mail on to other people.",
        effect: Effect::Write,
        params: &[EMAIL_ID, TO, Param::text_or_empty("comment", "A remark above the forwarded text.")],
        run: |world, args| {
            let email = world.mail.get(args.text("email_id"))?;
            let subject = format!("Fwd: {}", email.subject);
            let body = format!("{}\n\n{}", args.text("comment"), email.body);
            send(world, args.texts("to"), subject, body)
        },
    },
    Tool {
        app: "mail",
        function: "move_email",
        about: "Moves an e-mail to another folder.",
        effect: Effect::Write,
        params: &[EMAIL_ID, FOLDER],
        run: |world, args| {
            let folder = Folder::read(args.text("folder"))?;
            let id = args.text("email_id");
            world.mail.get(id)?;
            if let Some(email) = world.mail.emails.get_mut(id) {
                email.folder = folder;
            }
            Ok(json!({ "id": id, "folder": folder }))
        },
    },
];

impl Mail {
    fn get(&self, id: &str) -> Result<&Email, String> {
        self.emails
            .get(id)
            .ok_or_else(|| format!("there is no e-mail with the id {id}: take ids from a listing"))
    }
}

impl Email {
    fn mentions(&self, query: &str) -> bool {
        let texts = [self.from.as_str(), &self.subject, &self.body];
        mentions(query, texts.into_iter().chain(self.to.iter().map(String::as_str)))
    }
}

fn listing(world: &World, args: &Args, keep: impl Fn(&Email) -> bool) -> Value {
    let mut found: Vec<(&String, &Email)> =
        world.mail.emails.iter().filter(|(_, email)| keep(email)).collect();
    found.sort_by(|(a_id, a), (b_id, b)| b.date.cmp(&a.date).then_with(|| a_id.cmp(b_id)));
    let items = found.into_iter().map(|(id, email)| {
        json!({ "id": id, "from": email.from, "to": email.to, "subject": email.subject, "date": email.date })
    });
    page(items.collect(), args)
}

fn send(world: &mut World, to: Vec<String>, subject: String, body: String) -> Result<Value, String> {
    if to.is_empty() {
        return Err("`to` is empty: name at least one recipient".to_owned());
    }
    let (from, date) = (world.owner.clone(), world.now.clone());
    let email = Email { folder: Folder::Sent, from, to, subject, body, date };
    let id = fresh_id("mail", &email, |id| world.mail.emails.contains_key(id))?;
    world.mail.emails.insert(id.clone(), email);
    Ok(json!({ "id": id, "folder": Folder::Sent }))
}
