//! The house rules, each on the whole repository. A failure says where, which rule, and the remedy.

use anyhow::{Context, Result, ensure};
use palaestra_house::{
    Repository, Violation, arrows, effects, links, machine_paths, manifests, methods_apart, paper_map, shape,
    source, verdict,
};

/// Asks a rule about every file that is text.
fn each_file(rule: impl Fn(&str, &str) -> Vec<Violation>) -> Result<()> {
    let repository = Repository::open()?;
    let files = repository.files().filter_map(|path| Some((path, repository.text(path)?)));
    verdict(&files.flat_map(|(path, text)| rule(path, &text)).collect::<Vec<_>>())
}

#[test]
fn arrows_between_crates_point_down() -> Result<()> {
    let crates = arrows::crates(Repository::open()?.root())?;
    ensure!(crates.len() > 1, "no crates were found");
    verdict(&arrows::wrong_arrows(&crates))
}

#[test]
fn pure_crates_depend_on_nothing_impure() -> Result<()> {
    verdict(&arrows::impure(&arrows::crates(Repository::open()?.root())?))
}

#[test]
fn owned_dependencies_stay_with_their_owner() -> Result<()> {
    verdict(&arrows::stolen_dependencies(&arrows::crates(Repository::open()?.root())?))
}

#[test]
fn crates_inherit_lints_and_versions() -> Result<()> {
    let repository = Repository::open()?;
    let root = repository.text("Cargo.toml").context("read Cargo.toml")?;
    let members = repository.files().filter(|path| path.ends_with("/Cargo.toml"));
    let members: Vec<_> =
        members.filter_map(|path| Some((path.to_owned(), repository.text(path)?))).collect();
    verdict(&manifests::check(&root, &members)?)
}

#[test]
fn pure_crates_have_no_effects() -> Result<()> {
    verdict(&effects::impure(&source::sources(&Repository::open()?)?))
}

#[test]
fn pure_places_have_no_effects() -> Result<()> {
    let repository = Repository::open()?;
    let missing: Vec<_> = effects::PURE_PLACES.iter().filter(|place| !repository.has(place)).collect();
    ensure!(missing.is_empty(), "{missing:?} are gone; name the places anew in tests/house/src/effects.rs");
    verdict(&effects::impure_places(&source::sources(&repository)?))
}

#[test]
fn effects_stay_with_their_owner() -> Result<()> {
    verdict(&effects::stolen_effects(&source::sources(&Repository::open()?)?))
}

#[test]
fn only_the_command_line_prints() -> Result<()> {
    verdict(&effects::printing(&source::sources(&Repository::open()?)?))
}

#[test]
fn one_method_never_imports_another() -> Result<()> {
    verdict(&methods_apart::check(&source::sources(&Repository::open()?)?))
}

#[test]
fn source_files_are_short() -> Result<()> {
    each_file(|path, text| shape::too_long(path, text).into_iter().collect())
}

#[test]
fn modules_open_with_their_purpose() -> Result<()> {
    each_file(|path, text| shape::opens_without_purpose(path, text).into_iter().collect())
}

#[test]
fn mod_and_lib_files_only_declare() -> Result<()> {
    verdict(&shape::bodies_in_declarations(&source::sources(&Repository::open()?)?))
}

#[test]
fn the_paper_map_names_every_step_and_symbol() -> Result<()> {
    const MAP: &str = "docs/paper-map.md";
    let repository = Repository::open()?;
    let text = repository.text(MAP).context("read docs/paper-map.md")?;
    let wanted = paper_map::wanted(&source::sources(&repository)?);
    verdict(&paper_map::check(MAP, &text, &|path| repository.has(path), &wanted))
}

#[test]
fn no_file_names_a_path_of_one_machine() -> Result<()> {
    each_file(machine_paths::machine_paths)
}

#[test]
fn no_file_names_a_registry_of_one_network() -> Result<()> {
    each_file(machine_paths::private_registries)
}

#[test]
fn links_in_documents_lead_somewhere() -> Result<()> {
    let repository = Repository::open()?;
    each_file(|path, text| {
        let is_document = path.ends_with(".md");
        if is_document { links::broken_links(path, text, &|path| repository.has(path)) } else { Vec::new() }
    })
}
