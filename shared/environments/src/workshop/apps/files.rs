//! Files: named documents in a few folders, with owners and those they are shared with.

use std::collections::BTreeMap;

use palaestra_domain::tool::Effect;
use serde::Serialize;
use serde_json::{Value, json};

use crate::workshop::page::{PAGE, PAGE_SIZE, mentions, page};
use crate::workshop::tool::{Args, Kind, Param, Tool, words};
use crate::workshop::world::World;

words! {
    /// Where a file lies.
    Shelf { Reports = "REPORTS", Contracts = "CONTRACTS", Notes = "NOTES", Trash = "TRASH" }
}

words! {
    /// What somebody may do with a shared file.
    Access { View = "VIEW", Edit = "EDIT" }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) folder: Shelf,
    pub(crate) owner: String,
    pub(crate) size_kb: u32,
    pub(crate) modified: String,
    pub(crate) text: String,
    pub(crate) shared: BTreeMap<String, Access>,
}

/// All files by id.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Files {
    pub(crate) files: BTreeMap<String, File>,
}

const FILE_ID: Param = Param::required("file_id", Kind::Text, "The file's id, as a listing gives it.");
const FOLDER: Param = Param::required("folder", Kind::Choice(Shelf::WORDS), "A folder of files.");

/// The functions of this app.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        app: "files",
        function: "list_files",
        about: "Lists the files of one folder by name, without their text.",
        effect: Effect::Read,
        params: &[FOLDER, PAGE, PAGE_SIZE],
        run: |world, args| {
            let folder = Shelf::read(args.text("folder"))?;
            Ok(listing(world, args, |file| file.folder == folder))
        },
    },
    Tool {
        app: "files",
        function: "search_files",
        about: "Finds the files in all folders whose name or owner mentions a text, by name, without their text.",
        effect: Effect::Read,
        params: &[Param::required("query", Kind::Text, "The text to look for."), PAGE, PAGE_SIZE],
        run: |world, args| {
            Ok(listing(world, args, |file| mentions(args.text("query"), [file.name.as_str(), &file.owner])))
        },
    },
    Tool {
        app: "files",
        function: "read_file",
        about: "Shows one file with its text.",
        effect: Effect::Read,
        params: &[FILE_ID],
        run: |world, args| {
            let id = args.text("file_id");
            let file = world.files.files.get(id).ok_or_else(|| no_file(id))?;
            let mut shown = summary(id, file);
            if let Some(object) = shown.as_object_mut() {
                object.insert("text".to_owned(), Value::from(file.text.as_str()));
                object.insert("shared".to_owned(), json!(file.shared));
            }
            Ok(shown)
        },
    },
    Tool {
        app: "files",
        function: "share_file",
        about: "Lets somebody see or change a file; the person is told.",
        effect: Effect::Write,
        params: &[
            FILE_ID,
            Param::required("address", Kind::Address, "The person's e-mail address."),
            Param::required("access", Kind::Choice(Access::WORDS), "What the person may do."),
        ],
        run: |world, args| {
            let (id, address) = (args.text("file_id"), args.text("address"));
            let access = Access::read(args.text("access"))?;
            let file = world.files.files.get_mut(id).ok_or_else(|| no_file(id))?;
            file.shared.insert(address.to_owned(), access);
            Ok(json!({ "id": id, "shared": file.shared }))
        },
    },
    Tool {
        app: "files",
        function: "move_file",
        about: "Moves a file to another folder; TRASH stands for deleting it.",
        effect: Effect::Write,
        params: &[FILE_ID, FOLDER],
        run: |world, args| {
            let id = args.text("file_id");
            let folder = Shelf::read(args.text("folder"))?;
            let file = world.files.files.get_mut(id).ok_or_else(|| no_file(id))?;
            file.folder = folder;
            Ok(json!({ "id": id, "folder": folder }))
        },
    },
];

fn no_file(id: &str) -> String {
    format!("there is no file with the id {id}: take ids from a listing")
}

fn summary(id: &str, file: &File) -> Value {
    json!({
        "id": id, "name": file.name, "folder": file.folder, "owner": file.owner,
        "size_kb": file.size_kb, "modified": file.modified,
    })
}

fn listing(world: &World, args: &Args, keep: impl Fn(&File) -> bool) -> Value {
    let mut found: Vec<(&String, &File)> = world.files.files.iter().filter(|(_, file)| keep(file)).collect();
    found.sort_by(|(a_id, a), (b_id, b)| a.name.cmp(&b.name).then_with(|| a_id.cmp(b_id)));
    page(found.into_iter().map(|(id, file)| summary(id, file)).collect(), args)
}
