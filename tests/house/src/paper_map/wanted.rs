//! What the map must name: symbols and lines of the papers, and the files of the steps.

use super::check::Wanted;
use crate::methods_apart::{MEASURES, METHODS};
use crate::source::SourceFile;

/// ContraMem's symbols and roles (§3, appendix A.8), spelled as the map spells them.
const CONTRAMEM: &[&str] = &[
    "A",
    "D_ref",
    "D_test",
    "M",
    "τ",
    "T_i",
    "O_u",
    "P_i",
    "F",
    "S_a",
    "B",
    "Π_V",
    "Builder",
    "Reflector",
    "Curator",
    "R_i",
    "R_δ",
    "Δ",
    "δ",
    "op",
    "⊕",
    "s(c;x)",
    "ρ",
    "q(x)",
    "d(c)",
    "λ",
    "k_s",
    "k_f",
    "φ_a",
];

/// ContraMem's algorithms, with their number of lines.
const CONTRAMEM_ALGORITHMS: &[(u32, u32)] = &[(1, 23), (2, 11)];

/// DAEDALUS' roles and bounds; wanted once its folder is there.
const DAEDALUS: &[&str] =
    &["Surveyor", "Explorer", "Solver", "Judge", "Extractor", "Consolidator", "N_s", "N_f", "N_r", "n"];

/// The folders of `memory` that are steps of a paper.
const MEMORY_STEPS: [&str; 3] =
    ["shared/memory/src/validate/", "shared/memory/src/retrieve/", "shared/memory/src/render/"];

/// What this repository's map must name.
#[must_use]
pub fn wanted(files: &[SourceFile]) -> Wanted {
    let built = |method: &str| {
        let folder = format!("{METHODS}/src/{method}/");
        files.iter().any(|file| file.path.starts_with(&folder))
    };
    let mut symbols = CONTRAMEM.to_vec();
    if built("daedalus") {
        symbols.extend(DAEDALUS);
    }
    let steps = files.iter().filter(|file| !file.test).filter_map(|file| step(&file.path));
    let mut steps: Vec<String> = steps.collect();
    steps.sort();
    steps.dedup();
    Wanted { symbols, algorithms: CONTRAMEM_ALGORITHMS.to_vec(), steps }
}

/// The step that a file belongs to: the file itself, or the folder of a method's step.
fn step(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    if MEMORY_STEPS.iter().any(|folder| path.starts_with(folder)) {
        return (name != "mod.rs").then(|| path.to_owned());
    }
    let inside = path.strip_prefix(METHODS)?.strip_prefix("/src/")?;
    let mut parts = inside.split('/');
    let (method, step, deeper) = (parts.next()?, parts.next()?, parts.next().is_some());
    (method != MEASURES && !matches!(step, "mod.rs" | "error.rs"))
        .then(|| format!("{METHODS}/src/{method}/{step}{}", if deeper { "/" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Facts;

    #[test]
    fn steps_are_files_of_memory_and_files_or_folders_of_a_method() {
        let file = |path: &str, test| SourceFile {
            path: path.to_owned(),
            crate_folder: String::new(),
            module: Vec::new(),
            test,
            facts: Facts::default(),
        };
        let wanted = wanted(&[
            file("shared/memory/src/validate/mod.rs", false),
            file("shared/memory/src/validate/privacy.rs", false),
            file("shared/memory/src/validate/fixtures.rs", true),
            file("shared/memory/src/diff.rs", false),
            file("shared/methods/src/lib.rs", false),
            file("shared/methods/src/contramem/mod.rs", false),
            file("shared/methods/src/contramem/error.rs", false),
            file("shared/methods/src/contramem/curator.rs", false),
            file("shared/methods/src/contramem/normalize/mod.rs", false),
            file("shared/methods/src/contramem/normalize/walk.rs", false),
            file("shared/methods/src/daedalus/judge.rs", false),
            file("shared/methods/src/evaluation_run/plan.rs", false),
        ]);
        let expected = [
            "shared/memory/src/validate/privacy.rs",
            "shared/methods/src/contramem/curator.rs",
            "shared/methods/src/contramem/normalize/",
            "shared/methods/src/daedalus/judge.rs",
        ];
        assert_eq!(wanted.steps, expected);
        assert!(wanted.symbols.contains(&"N_s"));
    }
}
