//! Installing: whole or not at all, once, checked against hashes. With a package made on the spot,
//! so that no package index is asked.
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use async_trait::async_trait;
use palaestra_environments::launch::{Installer, Recipe};
use palaestra_environments::wire::{AskBack, AskError, Asked, Pool, WireEnvironment, WireSettings};
use palaestra_environments::{Environment, Error, tau2};

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

struct Mute;

#[async_trait]
impl Asked for Mute {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        panic!("nothing is asked here: {question:?}")
    }
}

/// A recipe of the tiny package; none where Python cannot make virtual environments.
fn recipe(folder: &Path) -> Option<Recipe> {
    let python = |arguments: &[&str]| Command::new("python3").args(arguments).output();
    if !python(&["-m", "ensurepip", "--version"]).is_ok_and(|output| output.status.success()) {
        println!("skipped: python3 with venv and ensurepip is not installed");
        return None;
    }
    let output = python(&["-c", MAKE_WHEEL, folder.to_str().unwrap()]).unwrap();
    let hash = String::from_utf8(output.stdout).unwrap();
    let wheels = folder.display();
    let lock = format!("--no-index\n--find-links {wheels}\ntiny==1.0 --hash=sha256:{}\n", hash.trim());
    let adapter = Box::leak(Box::new([("tiny_adapter.py", ADAPTER)]));
    Some(Recipe { name: "tiny", about: "A test.", lock: lock.leak(), adapter })
}

fn entries(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn an_environment_is_installed_once_whole_and_runs() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(recipe) = recipe(scratch.path()) else { return };
    let home = scratch.path().join("home");
    let installer = Installer::new(home.clone(), PathBuf::from("python3"));
    let missing = installer.find(&recipe).unwrap_err();
    assert!(missing.to_string().contains("palaestra env install tiny"), "{missing}");
    // What an interrupted installation left behind.
    fs::create_dir_all(home.join(".building-tiny-left-behind/venv")).unwrap();
    let (one, other) = tokio::join!(installer.install(&recipe), installer.install(&recipe));
    let installed = one.unwrap();
    assert_eq!(installed.folder(), other.unwrap().folder());
    let name = installed.folder().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(entries(&home), [name, "tiny.lock".to_owned()]);
    let launcher = installed.launcher("tiny", "tiny_adapter.py", &[]);
    let pool = Pool::new("tiny", Box::new(launcher), WireSettings::default(), 1);
    let mut world = WireEnvironment::new(pool, Arc::new(Mute));
    assert_eq!(world.describe().await.unwrap().data_version, "tiny-1");
    // Another lock is another installation.
    let locked = format!("# newer\n{}", recipe.lock);
    let newer = Recipe { lock: locked.leak(), ..recipe };
    assert!(matches!(installer.find(&newer), Err(Error::NotInstalled { .. })));
}

#[tokio::test]
async fn a_file_with_another_hash_is_refused_and_nothing_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(recipe) = recipe(scratch.path()) else { return };
    let home = scratch.path().join("home");
    let wrong = recipe.lock.replace("sha256:", "sha256:0000");
    let wrong: String = wrong.trim_end().chars().take(wrong.trim_end().len() - 4).collect();
    let recipe = Recipe { lock: wrong.leak(), ..recipe };
    let error = Installer::new(home.clone(), PathBuf::from("python3")).install(&recipe).await.unwrap_err();
    let Error::InstallCommand { last_words, .. } = &error else { panic!("{error}") };
    assert!(last_words.contains("HASHES"), "{error}");
    assert_eq!(entries(&home), ["tiny.lock"]);
}

#[tokio::test]
async fn an_interpreter_that_is_not_there_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let installer = Installer::new(scratch.path().join("home"), PathBuf::from("no-such-python"));
    let error = installer.install(&tau2::RECIPE).await.unwrap_err();
    assert!(error.to_string().contains("no-such-python") && error.to_string().contains("3.10"), "{error}");
    assert!(matches!(Recipe::named("tau3"), Err(Error::UnknownRecipe { .. })));
    assert_eq!(Recipe::named("tau2").unwrap().name, "tau2");
}

/// Asks the user's own package index, so only on request: `PALAESTRA_TEST_INSTALL=1`.
#[tokio::test]
async fn tau2_can_be_installed() {
    if std::env::var_os("PALAESTRA_TEST_INSTALL").is_none() {
        println!("skipped: PALAESTRA_TEST_INSTALL=1 installs tau2 where the other tests look for it");
        return;
    }
    let installed = Installer::from_environment().unwrap().install(&tau2::RECIPE).await.unwrap();
    println!("installed in {}", installed.folder().display());
}
