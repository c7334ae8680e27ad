//! Images: packages of the lock in them, and errors that say what is wrong.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use palaestra_domain::task::Split;
use palaestra_environments::launch::{DockerLauncher, Recipe, build_image, image_name};
use palaestra_environments::wire::{Pool, WireEnvironment, WireSettings};
use palaestra_environments::{Environment as _, Error, tau2};

use crate::support::{Lab, Usual, lab};

/// Makes a wheel of one module and prints its hash.
const MAKE_WHEEL: &str = r#"
import hashlib, sys, zipfile
path = sys.argv[1] + "/tiny-1.0-py3-none-any.whl"
info = "tiny-1.0.dist-info/"
with zipfile.ZipFile(path, "w") as wheel:
    wheel.writestr("tiny.py", "VERSION = 'tiny-1'\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", "tiny.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n")
print(hashlib.sha256(open(path, "rb").read()).hexdigest())
"#;

const ADAPTER: &str = r#"
import palaestra_wire, tiny
class World(palaestra_wire.World):
    def describe(self):
        return {"data_version": tiny.VERSION, "tools": []}
palaestra_wire.stdio().run("tiny", World())
"#;

fn recipe(folder: &Path, hash_ends_with: &str) -> Recipe {
    let output = Command::new("python3").args(["-c", MAKE_WHEEL, folder.to_str().unwrap()]).output().unwrap();
    let hash = String::from_utf8(output.stdout).unwrap();
    let hash = hash.trim();
    let hash = format!("{}{hash_ends_with}", hash.get(..hash.len() - hash_ends_with.len()).unwrap());
    let lock = format!("--no-index\n--find-links {}\ntiny==1.0 --hash=sha256:{hash}\n", folder.display());
    let adapter = Box::leak(Box::new([("tiny_adapter.py", ADAPTER)]));
    Recipe { name: "tiny", about: "A test.", lock: lock.leak(), adapter }
}

async fn build(lab: &Lab, recipe: &Recipe, base: &str) -> Result<u64, Error> {
    let image = image_name(recipe).unwrap();
    let built = build_image(&lab.engine, recipe, base, &image, &PathBuf::from("python3")).await?;
    assert_eq!((built.environment, built.image), (recipe.name, image));
    Ok(built.size)
}

#[tokio::test]
async fn an_image_holds_the_packages_of_its_lock_and_runs() {
    let Some(lab) = lab().await else { return };
    let scratch = tempfile::tempdir().unwrap();
    let recipe = recipe(scratch.path(), "");
    let image = image_name(&recipe).unwrap();
    assert!(!lab.engine.has_image(&image).await.unwrap());
    assert!(build(&lab, &recipe, &lab.base).await.unwrap() > 1 << 20);
    assert!(lab.engine.has_image(&image).await.unwrap());
    let launcher =
        DockerLauncher::of_recipe(&Arc::clone(&lab.engine).into(), &recipe, "tiny", "tiny_adapter.py", &[])
            .unwrap();
    let pool = Pool::new("tiny", Box::new(launcher), WireSettings::default(), 1);
    let mut world = WireEnvironment::new(pool, Arc::new(Usual));
    assert_eq!(world.describe().await.unwrap().data_version, "tiny-1");
}

#[tokio::test]
async fn a_file_with_another_hash_gets_into_no_image() {
    let Some(lab) = lab().await else { return };
    let scratch = tempfile::tempdir().unwrap();
    let recipe = recipe(scratch.path(), "0000");
    let error = build(&lab, &recipe, &lab.base).await.unwrap_err();
    let Error::InstallCommand { last_words, .. } = &error else { panic!("{error}") };
    assert!(last_words.contains("HASHES"), "{error}");
    assert!(!lab.engine.has_image(&image_name(&recipe).unwrap()).await.unwrap());
}

#[tokio::test]
async fn a_base_that_cannot_be_used_is_named() {
    let Some(lab) = lab().await else { return };
    let error = build(&lab, &crate::support::WORLDS, "no-such-base:7").await.unwrap_err().to_string();
    assert!(error.contains("no-such-base:7") && error.contains("nothing is fetched"), "{error}");
    let error = build(&lab, &crate::support::WORLDS, "a base").await.unwrap_err().to_string();
    assert!(error.contains("cannot be the name of an image"), "{error}");
}

/// Asks the user's own package index, so only on request: `PALAESTRA_TEST_INSTALL=1`.
#[tokio::test]
async fn tau2_in_a_container_is_the_benchmark() {
    let Some(lab) = lab().await else { return };
    if std::env::var_os("PALAESTRA_TEST_INSTALL").is_none() {
        println!("skipped: PALAESTRA_TEST_INSTALL=1 fetches tau2's packages for its image");
        return;
    }
    build(&lab, &tau2::RECIPE, &lab.base).await.unwrap();
    let launcher = DockerLauncher::of_recipe(
        &Arc::clone(&lab.engine).into(),
        &tau2::RECIPE,
        "tau2-retail",
        "tau2_adapter.py",
        &["retail"],
    )
    .unwrap();
    let pool = Pool::new("tau2-retail", Box::new(launcher), WireSettings::default(), 1);
    let mut world = WireEnvironment::new(pool, Arc::new(Usual));
    let tasks = world.tasks(Split::Reference, 1, 0).await.unwrap();
    assert_eq!((tasks.len(), world.tasks(Split::HeldOut, 1, 0).await.unwrap().len()), (74, 40));
    assert!(world.describe().await.unwrap().tools.len() > 10);
    world.reset(&tasks[0], 0).await.unwrap();
    world.state_hash().await.unwrap();
}
