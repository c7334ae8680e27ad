//! The builder that templates plant their tasks with: people, mail, events, files, goods.

use std::collections::BTreeMap;

use super::apps::calendar::{Calendar, Event};
use super::apps::contacts::{Contact, Contacts};
use super::apps::files::{File, Files, Shelf};
use super::apps::mail::{Email, Folder, Mail};
use super::apps::messages::{Conversation, Messages};
use super::apps::shop::{Delivery, Order, Product, Shop, Status};
use super::data::{
    BRANDS, CITIES, COMPANIES, FIRST_NAMES, KINDS, LAST_NAMES, PROJECTS, REMARKS, ROLES, TOPICS, VENDORS,
};
use super::furnish::furnish;
use super::random::{Deck, Random};
use super::world::World;

/// A world under construction. Decks are drawn without return, so what a template plants never
/// meets its own name among the furniture.
pub(crate) struct Setup {
    pub(crate) random: Random,
    pub(crate) world: World,
    pub(crate) firsts: Deck,
    pub(crate) lasts: Deck,
    pub(crate) companies: Deck,
    pub(crate) projects: Deck,
    pub(crate) vendors: Deck,
    pub(crate) kinds: Deck,
    /// Day of the month at which the attempt takes place; earlier days are past.
    pub(crate) today: u32,
    month: String,
    serial: u32,
}

/// A planted person.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) first: &'static str,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: String,
    pub(crate) company: &'static str,
    pub(crate) city: String,
}

impl Setup {
    /// A furnished office.
    pub(crate) fn new(mut random: Random) -> Self {
        let month = format!("{}-{:02}", random.between(2031, 2036), random.between(1, 12));
        let today = random.between(12, 15);
        let world = World {
            now: format!("{month}-{today:02} 08:00"),
            owner: "me@office.example".to_owned(),
            mail: Mail::default(),
            calendar: Calendar::default(),
            contacts: Contacts::default(),
            messages: Messages::default(),
            files: Files::default(),
            shop: Shop::default(),
        };
        let mut setup = Self {
            firsts: random.deck(FIRST_NAMES),
            lasts: random.deck(LAST_NAMES),
            companies: random.deck(COMPANIES),
            projects: random.deck(PROJECTS),
            vendors: random.deck(VENDORS),
            kinds: random.deck(KINDS),
            serial: random.between(1000, 8000),
            random,
            world,
            today,
            month,
        };
        furnish(&mut setup);
        setup
    }

    fn id(&mut self, kind: &str) -> String {
        self.serial += self.random.between(1, 9);
        format!("{kind}-{:05}", self.serial)
    }

    /// A day of the month, `YYYY-MM-DD`.
    pub(crate) fn day(&self, day: u32) -> String {
        format!("{}-{day:02}", self.month)
    }

    /// A minute, `YYYY-MM-DD HH:MM`.
    pub(crate) fn at(&self, day: u32, time: &str) -> String {
        format!("{} {time}", self.day(day))
    }

    /// A random past day of the month.
    pub(crate) fn past(&mut self) -> u32 {
        self.random.between(1, self.today - 1)
    }

    /// A random future day of the month.
    pub(crate) fn future(&mut self) -> u32 {
        self.random.between(self.today + 1, 28)
    }

    /// A person whose first and last name nobody else has.
    pub(crate) fn person(&mut self) -> Person {
        let (first, last) = (self.firsts.draw(), self.lasts.draw());
        self.named(first, last)
    }

    /// People who share a first name.
    pub(crate) fn same_first(&mut self, count: usize) -> Vec<Person> {
        let first = self.firsts.draw();
        (0..count)
            .map(|_| {
                let last = self.lasts.draw();
                self.named(first, last)
            })
            .collect()
    }

    /// Two people of one full name at two companies, in the order in which a listing shows them.
    pub(crate) fn namesakes(&mut self) -> (Person, Person) {
        let (first, last) = (self.firsts.draw(), self.lasts.draw());
        (self.named(first, last), self.named(first, last))
    }

    fn named(&mut self, first: &'static str, last: &'static str) -> Person {
        let company = self.companies.draw();
        self.add_person(first, last, company)
    }

    /// Adds a contact at a company.
    pub(crate) fn add_person(
        &mut self,
        first: &'static str,
        last: &'static str,
        company: &'static str,
    ) -> Person {
        let person = Person {
            id: self.id("contact"),
            first,
            name: format!("{first} {last}"),
            email: format!("{first}.{last}@{company}.example").to_lowercase(),
            phone: self.phone(),
            company,
            city: self.random.pick(CITIES).to_owned(),
        };
        let contact = Contact {
            name: person.name.clone(),
            email: person.email.clone(),
            phone: person.phone.clone(),
            company: company.to_owned(),
            role: self.random.pick(ROLES).to_owned(),
            city: person.city.clone(),
        };
        self.world.contacts.people.insert(person.id.clone(), contact);
        person
    }

    /// A telephone number in a range that nobody has.
    pub(crate) fn phone(&mut self) -> String {
        format!("0555 {:03} {:04}", self.random.between(100, 999), self.random.between(0, 9999))
    }

    /// An e-mail to the user.
    pub(crate) fn mail(&mut self, from: &str, subject: &str, body: &str, day: u32) -> String {
        let time = format!("{:02}:{:02}", self.random.between(7, 18), self.random.between(0, 59));
        let email = Email {
            folder: Folder::Inbox,
            from: from.to_owned(),
            to: vec![self.world.owner.clone()],
            subject: subject.to_owned(),
            body: body.to_owned(),
            date: self.at(day, &time),
        };
        let id = self.id("mail");
        self.world.mail.emails.insert(id.clone(), email);
        id
    }

    /// An event of one day.
    pub(crate) fn event(&mut self, title: &str, day: u32, start: &str, end: &str, who: &[&str]) -> String {
        let event = Event {
            title: title.to_owned(),
            start: self.at(day, start),
            end: self.at(day, end),
            organiser: who.first().map_or_else(|| self.world.owner.clone(), |address| (*address).to_owned()),
            attendees: who.iter().map(|address| (*address).to_owned()).collect(),
            location: self.random.pick(CITIES).to_owned(),
        };
        let id = self.id("event");
        self.world.calendar.events.insert(id.clone(), event);
        id
    }

    /// A file of somebody's.
    pub(crate) fn file(&mut self, name: &str, folder: Shelf, owner: &str, day: u32, text: &str) -> String {
        let file = File {
            name: name.to_owned(),
            folder,
            owner: owner.to_owned(),
            size_kb: self.random.between(11, 940),
            modified: self.day(day),
            text: text.to_owned(),
            shared: BTreeMap::new(),
        };
        let id = self.id("file");
        self.world.files.files.insert(id.clone(), file);
        id
    }

    /// A product.
    pub(crate) fn product(&mut self, name: String, price_usd: u32, rating: u32, stock: u32) -> String {
        let id = self.id("product");
        self.world.shop.products.insert(id.clone(), Product { name, price_usd, rating, stock });
        id
    }

    /// An order of the past.
    pub(crate) fn order(&mut self, day: u32, status: Status) -> String {
        let line = format!("{} {}", self.random.pick(BRANDS), self.random.pick(KINDS));
        let order = Order {
            date: self.at(day, "12:00"),
            lines: BTreeMap::from([(line, self.random.between(1, 4))]),
            total_usd: self.random.between(15, 480),
            status,
            delivery: Delivery::Standard,
        };
        let id = self.id("order");
        self.world.shop.orders.insert(id.clone(), order);
        id
    }

    /// A conversation without messages.
    pub(crate) fn conversation(&mut self, title: &str, members: &[&str]) -> String {
        let conversation = Conversation {
            title: title.to_owned(),
            members: members.iter().map(|member| (*member).to_owned()).collect(),
            messages: Vec::new(),
        };
        let id = self.id("conversation");
        self.world.messages.conversations.insert(id.clone(), conversation);
        id
    }

    /// A sender of bulk mail: name and address.
    pub(crate) fn vendor(&mut self) -> (&'static str, String) {
        let name = self.vendors.draw();
        (name, format!("post@{}.example", name.to_lowercase().replace(' ', "-")))
    }

    /// An everyday subject about a project.
    pub(crate) fn topic(&mut self, project: &str) -> String {
        self.random.pick(TOPICS).replace("{}", project)
    }

    /// An everyday remark.
    pub(crate) fn remark(&mut self) -> &'static str {
        self.random.pick(REMARKS)
    }
}
