//! What every office holds whatever the task: people, everyday mail, events, files, goods. It is
//! there to be searched through, and no task is about it.

use super::apps::files::Shelf;
use super::apps::mail::Folder;
use super::apps::messages::Message;
use super::apps::shop::Status;
use super::data::BRANDS;
use super::setup::Setup;

const PEOPLE: usize = 36;
const EMAILS: usize = 48;
const EVENTS: usize = 24;
const FILES: usize = 30;
const KINDS: usize = 8;
const ORDERS: usize = 24;

/// Fills an empty office.
pub(crate) fn furnish(setup: &mut Setup) {
    let addresses = people(setup);
    let projects: Vec<&str> = (0..10).map(|_| setup.projects.draw()).collect();
    mail(setup, &addresses, &projects);
    events(setup, &addresses, &projects);
    conversations(setup, &addresses, &projects);
    files(setup, &addresses, &projects);
    shop(setup);
}

fn people(setup: &mut Setup) -> Vec<String> {
    let companies: Vec<&'static str> = (0..12).map(|_| setup.companies.draw()).collect();
    let mut addresses = Vec::new();
    for _ in 0..PEOPLE {
        let (first, last) = (setup.firsts.draw(), setup.lasts.draw());
        let company = setup.random.pick(&companies);
        addresses.push(setup.add_person(first, last, company).email);
    }
    addresses
}

fn any(setup: &mut Setup, texts: &[String]) -> String {
    let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
    setup.random.pick(&refs).to_owned()
}

fn mail(setup: &mut Setup, addresses: &[String], projects: &[&'static str]) {
    for _ in 0..EMAILS {
        let from = any(setup, addresses);
        let project = setup.random.pick(projects);
        let (subject, body, day) = (setup.topic(project), setup.remark(), setup.past());
        let id = setup.mail(&from, &subject, body, day);
        let folder = setup.random.pick(&[None, None, None, Some(Folder::Archive), Some(Folder::Trash)]);
        if let (Some(folder), Some(email)) = (folder, setup.world.mail.emails.get_mut(&id)) {
            email.folder = folder;
        }
    }
}

fn events(setup: &mut Setup, addresses: &[String], projects: &[&'static str]) {
    for _ in 0..EVENTS {
        let who = any(setup, addresses);
        let project = setup.random.pick(projects);
        let (title, day, hour) =
            (setup.topic(project), setup.random.between(1, 28), setup.random.between(8, 17));
        setup.event(&title, day, &format!("{hour:02}:00"), &format!("{hour:02}:45"), &[&who]);
    }
}

fn conversations(setup: &mut Setup, addresses: &[String], projects: &[&'static str]) {
    for project in projects.iter().take(8) {
        let members = [any(setup, addresses), any(setup, addresses)];
        let refs: Vec<&str> = members.iter().map(String::as_str).collect();
        let id = setup.conversation(&format!("{project} team"), &refs);
        for from in members {
            let message =
                Message { from, text: setup.remark().to_owned(), date: setup.at(setup.today - 1, "16:00") };
            if let Some(conversation) = setup.world.messages.conversations.get_mut(&id) {
                conversation.messages.push(message);
            }
        }
    }
}

fn files(setup: &mut Setup, addresses: &[String], projects: &[&'static str]) {
    for number in 1..=FILES {
        let owner = any(setup, addresses);
        let project = setup.random.pick(projects);
        let folder =
            setup.random.pick(&[None, Some(Shelf::Contracts), Some(Shelf::Notes)]).unwrap_or(Shelf::Reports);
        let (day, text) = (setup.past(), setup.remark());
        setup.file(&format!("{project} papers {number:02}"), folder, &owner, day, text);
    }
}

fn shop(setup: &mut Setup) {
    for _ in 0..KINDS {
        let kind = setup.kinds.draw();
        for brand in BRANDS.iter().take(setup.random.between(3, 7) as usize) {
            let (price, rating, stock) =
                (setup.random.between(12, 320), setup.random.between(1, 5), setup.random.between(0, 40));
            setup.product(format!("{brand} {kind}"), price, rating, stock);
        }
    }
    for _ in 0..ORDERS {
        let day = setup.past();
        let status = setup.random.pick(&[None, Some(Status::Shipped), Some(Status::Cancelled)]);
        setup.order(day, status.unwrap_or(Status::Delivered));
    }
}
