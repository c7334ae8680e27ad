//! Whether the map names what it must, and only what is there.

use super::rows::{Row, rows};
use crate::violation::Violation;

/// What a map must name.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Symbols and roles, each in backticks in some row's first cell.
    pub symbols: Vec<&'static str>,
    /// Algorithms by number, each with its number of lines.
    pub algorithms: Vec<(u32, u32)>,
    /// Files of steps; one that ends in a slash is a folder, and any file below it will do.
    pub steps: Vec<String>,
}

/// Checks the map at `place`; `has` says whether a path is in the repository.
#[must_use]
pub fn check(place: &str, map: &str, has: &dyn Fn(&str) -> bool, wanted: &Wanted) -> Vec<Violation> {
    let rows = rows(map);
    let mut found: Vec<Violation> = rows.iter().flat_map(|row| faults(place, row, has)).collect();
    let missing = |rule: String, remedy: &str| Violation::new(place, rule, remedy);
    for symbol in &wanted.symbols {
        if !rows.iter().any(|row| row.symbols.iter().any(|named| named == symbol)) {
            found.push(missing(
                format!("the symbol {symbol} is not mapped"),
                "add a row whose first cell has it in backticks",
            ));
        }
    }
    for (number, lines) in &wanted.algorithms {
        let named = |line: &u32| {
            rows.iter().filter_map(|row| row.algorithm.as_ref()).any(|(n, r)| n == number && r.contains(line))
        };
        for line in (1..=*lines).filter(|line| !named(line)) {
            let remedy = format!(
                "add a row that begins with `Algorithm {number}, line {line}` (or with a range of lines)"
            );
            found.push(missing(format!("line {line} of algorithm {number} is not mapped"), &remedy));
        }
    }
    for step in &wanted.steps {
        let names = |path: &String| {
            path == step || (step.ends_with('/') && path.starts_with(step.trim_end_matches('/')))
        };
        if !rows.iter().any(|row| row.paths.iter().any(names)) {
            found.push(missing(
                format!("{step} is in no row"),
                "name it in the row of the step that it holds",
            ));
        }
    }
    found
}

fn faults(place: &str, row: &Row, has: &dyn Fn(&str) -> bool) -> Vec<Violation> {
    let fault = |rule: String, remedy: &str| Violation::new(format!("{place}:{}", row.line), rule, remedy);
    let mut found = Vec::new();
    if row.symbols.is_empty() && row.algorithm.is_none() {
        let remedy = "begin with the symbol or step in backticks, or with `Algorithm 1, line 3`";
        found.push(fault("a row that names nothing of the paper".to_owned(), remedy));
    }
    if row.paths.is_empty() {
        let remedy = "add the path, in backticks, from the repository's root";
        found.push(fault("a row without a file".to_owned(), remedy));
    }
    for path in row.paths.iter().filter(|path| !has(path)) {
        found.push(fault(format!("{path} is not in the repository"), "write the path as it is now"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "| symbol | file |\n|---|---|\n| `δ`, `Δ` | `m/delta.rs` |\n| Algorithm 1, lines 1-2 | `m/n/x.rs` |\n";

    fn problems(map: &str) -> Vec<String> {
        let wanted = Wanted {
            symbols: vec!["Δ", "δ"],
            algorithms: vec![(1, 2)],
            steps: vec!["m/delta.rs".to_owned(), "m/n/".to_owned()],
        };
        let has = |path: &str| ["m/delta.rs", "m/n/x.rs", "m/n"].contains(&path);
        check("map.md", map, &has, &wanted).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_whole_map_passes() {
        assert!(problems(GOOD).is_empty(), "{:?}", problems(GOOD));
    }

    #[test]
    fn every_way_to_break_a_map_is_found() {
        for (change, to, complaint) in [
            ("`δ`, ", "", "the symbol δ is not mapped"),
            ("`δ`, `Δ`", "δ and Δ", "names nothing of the paper"),
            ("lines 1-2", "line 1", "line 2 of algorithm 1 is not mapped"),
            ("m/delta.rs", "m/gone.rs", "map.md:3: m/gone.rs is not in the repository"),
            ("m/delta.rs", "m/n/x.rs", "m/delta.rs is in no row"),
            ("`m/n/x.rs`", "soon", "map.md:4: a row without a file"),
            ("`m/n/x.rs`", "`m/delta.rs`", "m/n/ is in no row"),
        ] {
            let found = problems(&GOOD.replace(change, to));
            assert!(found.iter().any(|problem| problem.contains(complaint)), "{complaint}: {found:?}");
        }
        assert_eq!(problems("").len(), 6, "an empty map misses everything");
    }
}
