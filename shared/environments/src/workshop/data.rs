//! The made-up names that worlds are furnished with. Nobody and nothing here is real.

/// Given names.
pub(crate) const FIRST_NAMES: &[&str] = &[
    "Adaline", "Bertil", "Cosima", "Dragan", "Elowen", "Farid", "Ginevra", "Hakon", "Ilka", "Jorun", "Kenji",
    "Leocadia", "Matteus", "Nerea", "Oswin", "Petra", "Quirin", "Rosalba", "Sunniva", "Tamsin", "Ulrika",
    "Vesna", "Wendelin", "Xanthe", "Yusra", "Zoltan", "Amadou", "Brunhild", "Casimir", "Delphine", "Eskil",
    "Fiorella", "Gunnar", "Henrike", "Ismael", "Jacinta", "Kalliope", "Lorcan", "Mireille", "Nikolai",
    "Ottilie", "Paloma", "Ragnhild", "Severin", "Thandiwe", "Ursin", "Valeria", "Wolfram", "Ximena",
    "Yannick", "Zelda", "Anselm", "Birgitta", "Clemens", "Dorothea", "Emeric", "Florence", "Gaspard",
    "Hedwig", "Ingram",
];

/// Family names.
pub(crate) const LAST_NAMES: &[&str] = &[
    "Abendroth",
    "Bellweather",
    "Castellane",
    "Dunmore",
    "Eisenlohr",
    "Farquhar",
    "Galbraith",
    "Hollenbeck",
    "Iversen",
    "Jankowiak",
    "Kilbride",
    "Lindqvist",
    "Marchetti",
    "Norrland",
    "Okonjo",
    "Penhallow",
    "Quandt",
    "Rautavaara",
    "Sandoval",
    "Thackeray",
    "Urbaniak",
    "Vandermeer",
    "Wetherby",
    "Yamazawa",
    "Zabriskie",
    "Altamirano",
    "Brockhurst",
    "Czerny",
    "Delacroix",
    "Engstrom",
    "Fitzalan",
    "Grimaldi",
    "Haverkamp",
    "Ibarrola",
    "Jessop",
    "Kowarski",
    "Lavallee",
    "Montefiore",
    "Nightingale",
    "Ostrander",
    "Pellegrin",
    "Rosenthal",
    "Silvestri",
    "Tremblay",
    "Ueland",
    "Villanueva",
    "Waldegrave",
    "Xenakis",
    "Yardley",
    "Zeller",
    "Ashdown",
    "Borromeo",
    "Carruthers",
    "Dombrowski",
    "Ekwueme",
    "Forsgren",
    "Goncourt",
    "Hartigan",
    "Ingleby",
    "Jorgensen",
];

/// Companies.
pub(crate) const COMPANIES: &[&str] = &[
    "Northquay",
    "Brassfield",
    "Lumenworks",
    "Harrowgate",
    "Tidewell",
    "Copperline",
    "Oakhurst",
    "Silverbeck",
    "Fernleigh",
    "Granitport",
    "Windmere",
    "Redstow",
    "Larchmont",
    "Bluecombe",
    "Ironvale",
    "Stonebridge",
    "Marlpit",
    "Cedarholm",
    "Quillford",
    "Amberley",
    "Thistledown",
    "Ravensworth",
    "Pinecrest",
    "Saltmarsh",
];

/// Roles at work.
pub(crate) const ROLES: &[&str] =
    &["accountant", "architect", "buyer", "editor", "engineer", "lawyer", "planner", "trainer", "translator"];

/// Towns.
pub(crate) const CITIES: &[&str] = &[
    "Aldermouth",
    "Bexcombe",
    "Carrowick",
    "Dunharrow",
    "Eastferry",
    "Fallowby",
    "Glenmarsh",
    "Hexwater",
    "Inverbrook",
    "Kestrelton",
    "Lowmoor",
    "Millhaven",
    "Netherby",
    "Orlestone",
    "Pennygate",
    "Rushford",
];

/// Projects.
pub(crate) const PROJECTS: &[&str] = &[
    "Aquila", "Basalt", "Cinder", "Dovetail", "Ember", "Falcon", "Gossamer", "Halcyon", "Isobar", "Juniper",
    "Keystone", "Lantern", "Meridian", "Nimbus", "Obelisk", "Pelican", "Quartz", "Rosetta", "Sextant",
    "Tundra", "Umbra", "Vanguard", "Wayfarer", "Zephyr",
];

/// Senders of bulk mail.
pub(crate) const VENDORS: &[&str] = &[
    "Papermill Supplies",
    "Cloudharbour Hosting",
    "Greenfork Catering",
    "Swiftparcel Couriers",
    "Brightdesk Rentals",
    "Inkwell Printing",
    "Tallships Travel",
    "Stillwater Cleaning",
    "Corkboard Weekly",
    "Ledgerline Software",
    "Fieldnotes Digest",
    "Parkside Garage",
];

/// Kinds of goods in the shop.
pub(crate) const KINDS: &[&str] = &[
    "desk lamp",
    "office chair",
    "headset",
    "keyboard",
    "whiteboard",
    "label printer",
    "monitor arm",
    "paper shredder",
    "water kettle",
    "projector screen",
    "document scanner",
    "foot rest",
    "coat rack",
    "wall clock",
    "filing cabinet",
    "laptop stand",
    "power strip",
    "storage box",
    "hole punch",
    "visitor badge holder",
];

/// Makers of goods, in the order of their letters: listings of goods are sorted by name, and a
/// template that plants something beyond the first page counts on it.
pub(crate) const BRANDS: &[&str] = &[
    "Aldermoor",
    "Birchwell",
    "Calloway",
    "Denholm",
    "Everard",
    "Fairmile",
    "Gatwood",
    "Hollins",
    "Ironbark",
    "Jarrow",
    "Kingsley",
    "Lindale",
    "Marlow",
    "Norwich",
    "Oldcastle",
    "Prestwick",
];

/// Subjects of everyday mail and titles of everyday meetings; `{}` is a project.
pub(crate) const TOPICS: &[&str] = &[
    "{} status",
    "{} kick-off",
    "{} staffing",
    "{} risks",
    "{} handover",
    "{} minutes",
    "{} roadmap",
    "{} workshop",
    "{} supplier call",
    "{} retrospective",
];

/// Everyday remarks.
pub(crate) const REMARKS: &[&str] = &[
    "Please have a look when you find the time.",
    "Nothing urgent, only so that you know.",
    "The numbers are still being checked.",
    "We talked about it last week and agreed to wait.",
    "Let me know if anything is unclear.",
    "The team will follow up with the details.",
    "Thank you for the quick turnaround.",
];
