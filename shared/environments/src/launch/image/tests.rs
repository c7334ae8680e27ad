//! Names, platforms and contexts without an engine.

use std::fs::{self, File};
use std::io::Read as _;

use super::base::Base;
use super::context::{check_name, dockerfile, image_name, write};
use super::wheels::names_packages;
use crate::launch::{FINISH, Recipe};
use crate::tau2;

const TINY: Recipe = Recipe {
    name: "tiny",
    about: "A test.",
    lock: "tiny==1.0 --hash=sha256:00\n",
    adapter: &[("tiny_adapter.py", "print('hello')\n")],
};

#[test]
fn another_lock_is_another_image() {
    let name = image_name(&TINY).unwrap();
    assert!(name.starts_with("palaestra/tiny:") && name.len() > "palaestra/tiny:".len() + 5, "{name}");
    assert_eq!(name, image_name(&TINY).unwrap());
    assert_ne!(name, image_name(&Recipe { lock: "tiny==1.1 --hash=sha256:00\n", ..TINY }).unwrap());
}

#[test]
fn a_name_is_a_name_and_nothing_more() {
    for good in ["python:3.12-slim", "registry.example:5000/a/b_c@sha256:0f", "palaestra/tau2:1"] {
        check_name(good).unwrap();
    }
    for bad in ["", "a b", "a\nRUN true", "--pull", "a\u{e9}"] {
        assert!(check_name(bad).unwrap_err().to_string().contains("image"), "{bad}");
    }
}

#[test]
fn packages_are_asked_for_by_what_the_base_holds() {
    let base = Base { python: (3, 11), machine: "aarch64".to_owned(), libc: Some(36) };
    let platforms = base.platforms();
    assert_eq!(platforms.first().unwrap(), "manylinux_2_36_aarch64");
    assert!(platforms.contains(&"manylinux2014_aarch64".to_owned()));
    assert!(platforms.contains(&"manylinux_2_17_aarch64".to_owned()));
    assert_eq!(base.interfaces(), ["cp311", "abi3", "none"]);
    let musl = Base { libc: None, ..base };
    assert!(musl.platforms().iter().all(|platform| platform.starts_with("musllinux_1_")));
    assert!(names_packages(tau2::RECIPE.lock));
    assert!(!names_packages("# nothing\n--no-index\n\n"));
}

#[test]
fn the_context_holds_everything_and_is_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("wheels")).unwrap();
    fs::write(folder.path().join("wheels/tiny-1.0-py3-none-any.whl"), "not really").unwrap();
    let archive = |name: &str| {
        let path = folder.path().join(name);
        write(&TINY, "base:1", folder.path(), File::create(&path).unwrap()).unwrap();
        fs::read(path).unwrap()
    };
    let (one, other) = (archive("one"), archive("other"));
    assert_eq!(one, other);
    let mut names = Vec::new();
    for entry in tar::Archive::new(one.as_slice()).entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        assert!(!text.is_empty());
        names.push(entry.path().unwrap().display().to_string());
    }
    let expected = [
        "Dockerfile",
        "packages/requirements.lock",
        "adapter/tiny_adapter.py",
        "adapter/palaestra_wire.py",
        "packages/wheels/tiny-1.0-py3-none-any.whl",
    ];
    assert_eq!(names, expected);
}

#[test]
fn pip_runs_only_where_there_are_packages() {
    assert!(dockerfile(&TINY, "base:1").contains("\"pip\", \"install\""));
    let plain = dockerfile(&Recipe { lock: "# nothing\n", ..TINY }, "base:1");
    assert!(!plain.contains("pip") && plain.contains("FROM base:1\n"), "{plain}");
    assert!(plain.contains("USER 65534:65534"));
    let finished = Recipe { adapter: &[(FINISH, "pass\n")], ..TINY };
    assert!(!plain.contains(FINISH) && dockerfile(&finished, "base:1").contains(FINISH));
}
