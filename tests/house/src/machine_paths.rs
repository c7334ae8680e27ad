//! No file names a path of one machine or a registry that only one network has.

use crate::violation::Violation;

/// Folders that exist on one machine only; written in two parts, so that this file passes.
const FOLDERS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/tm", "p/"),
];

/// Settings that point a package manager somewhere else.
const REGISTRY_SETTINGS: &[&str] = &[
    concat!("index", "-url"),
    concat!("INDEX", "_URL"),
    concat!("UV_", "INDEX"),
    concat!("replace", "-with"),
    concat!("[regist", "ries."),
    concat!("GO", "PROXY"),
    concat!("npm_config", "_registry"),
];

/// The hosts that a lock file may name.
const PUBLIC_HOSTS: &[&str] = &["github.com", "pypi.org", "files.pythonhosted.org", "registry.npmjs.org"];

/// Absolute paths of a machine.
#[must_use]
pub fn machine_paths(path: &str, text: &str) -> Vec<Violation> {
    lines(text, |line| FOLDERS.iter().copied().find(|folder| names_folder(line, folder)))
        .map(|(line, folder)| {
            let remedy = "write it relative to the repository, or take it from an argument";
            Violation::new(format!("{path}:{line}"), format!("a path of one machine ({folder}...)"), remedy)
        })
        .collect()
}

/// Registries other than the public ones.
#[must_use]
pub fn private_registries(path: &str, text: &str) -> Vec<Violation> {
    let setting = |line: &str| {
        REGISTRY_SETTINGS.iter().find(|setting| line.contains(**setting)).map(ToString::to_string)
    };
    let is_lock = path.ends_with(".lock") || path.ends_with("package-lock.json");
    let private_host =
        |line: &str| hosts(line).find(|host| is_lock && !PUBLIC_HOSTS.contains(host)).map(str::to_owned);
    lines(text, |line| setting(line).or_else(|| private_host(line)))
        .map(|(line, what)| {
            let remedy = "leave the choice of a registry to each machine's own settings";
            Violation::new(format!("{path}:{line}"), format!("a registry of one network ({what})"), remedy)
        })
        .collect()
}

fn lines<'a, T>(
    text: &'a str,
    look: impl Fn(&'a str) -> Option<T> + 'a,
) -> impl Iterator<Item = (usize, T)> + 'a {
    text.lines().enumerate().filter_map(move |(index, line)| Some((index + 1, look(line)?)))
}

/// Whether an absolute path into the folder begins somewhere in the line. `/home/user` is the usual
/// name for no one's home, so it may stand in examples.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let continues = before.is_some_and(|c| c.is_alphanumeric() || "_-.~})]>".contains(c));
        let after = line.get(at + folder.len()..).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let name: String = after.chars().take_while(|c| is_name(*c)).collect();
        let of_no_one = folder.contains("ome") && (name.is_empty() || name == "user");
        !continues && !of_no_one
    })
}

/// The hosts of the addresses in a line.
fn hosts(line: &str) -> impl Iterator<Item = &str> {
    line.split("://")
        .skip(1)
        .map(|rest| rest.split(['/', '"', '\'', '#', '?', ' ']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_machine_are_found_and_paths_of_the_repository_are_not() {
        for folder in FOLDERS {
            for line in [format!("cd {folder}x"), format!("\"{folder}x/y\""), format!("a\n{folder}x")] {
                assert_eq!(machine_paths("a.md", &line).len(), 1, "{line}");
            }
            assert_eq!(
                machine_paths("a.md", &format!("shared{folder}x and https://host.example{folder}")),
                []
            );
        }
        assert_eq!(machine_paths("a.md", "cp /home/user/a.txt /home/<name>/b.txt"), []);
        let found = machine_paths("a.md", &format!("one\ntwo {}x", FOLDERS[0]));
        assert_eq!(found[0].place, "a.md:2");
    }

    #[test]
    fn registries_of_one_network_are_found() {
        let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        assert_eq!(private_registries("Cargo.lock", public), []);
        let private = "source = \"sparse+https://crates.corp.example/index/\"";
        assert_eq!(private_registries("Cargo.lock", private).len(), 1);
        assert_eq!(private_registries("README.md", "see https://docs.example/"), []);
        assert_eq!(private_registries("a.sh", &format!("pip install --{} x", REGISTRY_SETTINGS[0])).len(), 1);
    }
}
