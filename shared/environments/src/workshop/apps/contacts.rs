//! Contacts: who is who, and where to reach them. Several people may share a name.

use std::collections::BTreeMap;

use palaestra_domain::tool::Effect;
use serde::Serialize;
use serde_json::{Value, json};

use crate::workshop::page::{PAGE, PAGE_SIZE, mentions, page};
use crate::workshop::tool::{Kind, Param, Tool, words};
use crate::workshop::world::fresh_id;

words! {
    /// What can be changed about a person.
    Detail { Email = "EMAIL", Phone = "PHONE", Company = "COMPANY", Role = "ROLE", City = "CITY" }
}

/// One person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Contact {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: String,
    pub(crate) company: String,
    pub(crate) role: String,
    pub(crate) city: String,
}

/// All people by id.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Contacts {
    pub(crate) people: BTreeMap<String, Contact>,
}

const CONTACT_ID: Param =
    Param::required("contact_id", Kind::Text, "The contact's id, as a listing gives it.");

/// The functions of this app.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        app: "contacts",
        function: "find_contacts",
        about: "Lists the contacts that mention a text in name, address or company, by name; all without a text.",
        effect: Effect::Read,
        params: &[Param::text_or_empty("query", "The text to look for."), PAGE, PAGE_SIZE],
        run: |world, args| {
            let query = args.text("query");
            let fits = |contact: &&Contact| {
                mentions(query, [contact.name.as_str(), &contact.email, &contact.company])
            };
            let mut found: Vec<(&String, &Contact)> =
                world.contacts.people.iter().filter(|(_, contact)| fits(contact)).collect();
            found.sort_by(|(a_id, a), (b_id, b)| a.name.cmp(&b.name).then_with(|| a_id.cmp(b_id)));
            let items = found.into_iter().map(|(id, c)| {
                json!({ "id": id, "name": c.name, "email": c.email, "company": c.company, "role": c.role })
            });
            Ok(page(items.collect(), args))
        },
    },
    Tool {
        app: "contacts",
        function: "get_contact",
        about: "Shows one contact with telephone number and city.",
        effect: Effect::Read,
        params: &[CONTACT_ID],
        run: |world, args| {
            let id = args.text("contact_id");
            let contact = world.contacts.people.get(id).ok_or_else(|| no_contact(id))?;
            Ok(shown(id, contact))
        },
    },
    Tool {
        app: "contacts",
        function: "create_contact",
        about: "Adds a person.",
        effect: Effect::Write,
        params: &[
            Param::required("name", Kind::Text, "The full name."),
            Param::required("email", Kind::Address, "The e-mail address."),
            Param::text_or_empty("phone", "The telephone number."),
            Param::text_or_empty("company", "Where the person works."),
            Param::text_or_empty("role", "What the person does there."),
            Param::text_or_empty("city", "Where the person lives."),
        ],
        run: |world, args| {
            let text = |key: &str| args.text(key).to_owned();
            let contact = Contact {
                name: text("name"),
                email: text("email"),
                phone: text("phone"),
                company: text("company"),
                role: text("role"),
                city: text("city"),
            };
            let id = fresh_id("contact", &contact, |id| world.contacts.people.contains_key(id))?;
            let shown = shown(&id, &contact);
            world.contacts.people.insert(id, contact);
            Ok(shown)
        },
    },
    Tool {
        app: "contacts",
        function: "update_contact",
        about: "Changes one detail of a person.",
        effect: Effect::Write,
        params: &[
            CONTACT_ID,
            Param::required("field", Kind::Choice(Detail::WORDS), "Which detail."),
            Param::required("value", Kind::Text, "Its new value."),
        ],
        run: |world, args| {
            let (id, value) = (args.text("contact_id"), args.text("value").to_owned());
            let field = Detail::read(args.text("field"))?;
            let contact = world.contacts.people.get_mut(id).ok_or_else(|| no_contact(id))?;
            match field {
                Detail::Email => contact.email = value,
                Detail::Phone => contact.phone = value,
                Detail::Company => contact.company = value,
                Detail::Role => contact.role = value,
                Detail::City => contact.city = value,
            }
            Ok(shown(id, contact))
        },
    },
];

fn no_contact(id: &str) -> String {
    format!("there is no contact with the id {id}: take ids from a listing")
}

fn shown(id: &str, contact: &Contact) -> Value {
    json!({
        "id": id, "name": contact.name, "email": contact.email, "phone": contact.phone,
        "company": contact.company, "role": contact.role, "city": contact.city,
    })
}
