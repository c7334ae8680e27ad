//! Rows in a folder: taken as they are, hashed into the data version, refused in words.

use std::fs;
use std::path::Path;

use palaestra_domain::Task;
use palaestra_domain::task::Split;
use palaestra_environments::are::Gaia2;
use palaestra_environments::contract::Act;
use palaestra_environments::launch::InstalledEnvironment;
use palaestra_environments::wire::WireEnvironment;
use palaestra_environments::{Environment as _, Error};
use serde_json::{Map, Value, json};

use crate::oracle::WAIT;
use crate::support::{Judge, installed, strict, write_rows};

const ROW: &str = "execution/order-1.json";

fn open(installed: &InstalledEnvironment, settings: &Gaia2) -> WireEnvironment {
    WireEnvironment::new(settings.adapter().pool_of(installed, Default::default()), Judge::new(strict))
}

fn settings(folder: &Path) -> Gaia2 {
    Gaia2 { data: Some(folder.to_owned()), ..Gaia2::default() }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

async fn task(world: &mut WireEnvironment, id: &str) -> Task {
    let tasks = world.tasks(Split::Reference, 1, 0).await.unwrap();
    tasks.into_iter().find(|task| task.id.as_str() == id).unwrap()
}

fn call(id: &str, function: &str, arguments: Value) -> Act {
    let arguments: Map<_, _> = arguments.as_object().unwrap().clone();
    Act { id: id.to_owned(), function: function.to_owned(), arguments }
}

#[tokio::test]
async fn a_folder_of_rows_is_as_good_as_our_own() {
    let Some(installed) = installed() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_rows(&installed, folder.path());
    let mut own = open(&installed, &Gaia2::default());
    let mut given = open(&installed, &settings(folder.path()));
    let description = own.describe().await.unwrap();
    assert_eq!(description, given.describe().await.unwrap());
    for split in [Split::Reference, Split::HeldOut] {
        let tasks = own.tasks(split, 1, 0).await.unwrap();
        assert_eq!(tasks, given.tasks(split, 1, 0).await.unwrap());
        assert_eq!(tasks.len(), 20);
    }
    let row = folder.path().join(ROW);
    fs::write(&row, format!("{}\n", fs::read_to_string(&row).unwrap())).unwrap();
    let mut changed = open(&installed, &settings(folder.path()));
    assert_ne!(description.data_version, changed.describe().await.unwrap().data_version);
}

#[tokio::test]
async fn a_folder_without_rows_says_so() {
    let Some(installed) = installed() else { return };
    let folder = tempfile::tempdir().unwrap();
    let error = open(&installed, &settings(folder.path())).describe().await.unwrap_err();
    assert!(matches!(error, Error::Dead { .. }), "{error}");
    assert!(error.to_string().contains("no scenarios in"), "{error}");
}

#[tokio::test]
async fn a_user_who_speaks_during_a_call_is_news() {
    let Some(installed) = installed() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_rows(&installed, folder.path());
    let path = folder.path().join(ROW);
    let mut row = read(&path);
    let mut event = row["events"][0].clone();
    event["event_id"] = json!("user-hurry");
    event["event_relative_time"] = json!(3.0);
    event["dependencies"] = json!(["user-0"]);
    event["action"]["args"][0]["value"] = json!("Hurry, please.");
    row["events"].as_array_mut().unwrap().push(event);
    fs::write(&path, row.to_string()).unwrap();
    let mut world = open(&installed, &settings(folder.path()));
    let task = task(&mut world, "gaia2/execution/order-1").await;
    assert_eq!(world.reset(&task, 0).await.unwrap(), task.instruction);
    world.act(&call("1", WAIT, json!({ "timeout": 100 }))).await.unwrap();
    assert_eq!(world.take_news(), ["[2027-03-08 08:00:05] The user says: Hurry, please."]);
}

#[tokio::test]
async fn files_come_from_the_folder_that_is_named() {
    let Some(installed) = installed() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_rows(&installed, folder.path());
    let path = folder.path().join(ROW);
    let mut row = read(&path);
    let file = json!({ "name": "plan.txt", "type": "file" });
    let tree = json!({ "name": "", "type": "directory", "children": [file] });
    let files = json!({ "name": "Files", "class_name": "SandboxLocalFileSystem", "app_state": { "tmpdir": "", "files": tree } });
    row["apps"].as_array_mut().unwrap().push(files);
    fs::write(&path, row.to_string()).unwrap();
    let contents = tempfile::tempdir().unwrap();
    fs::write(contents.path().join("plan.txt"), "Paint the door.").unwrap();
    let mut world = open(&installed, &settings(folder.path()));
    let task = task(&mut world, "gaia2/execution/order-1").await;
    let refused = world.reset(&task, 0).await.unwrap_err();
    assert!(refused.to_string().contains("this scenario has files"), "{refused}");
    let named = Gaia2 { files: Some(contents.path().to_owned()), ..settings(folder.path()) };
    let mut world = open(&installed, &named);
    world.reset(&task, 0).await.unwrap();
    let read = world.act(&call("1", "Files.cat", json!({ "path": "plan.txt" }))).await.unwrap();
    assert!(read.content.contains("Paint the door."), "{read:?}");
}
