//! Reads the tables of the map.

use std::ops::RangeInclusive;

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The line, from 1.
    pub line: usize,
    /// What the first cell names in backticks, blanks removed.
    pub symbols: Vec<String>,
    /// The algorithm and its lines, when the first cell names them.
    pub algorithm: Option<(u32, RangeInclusive<u32>)>,
    /// Paths in backticks in the other cells: whatever has a slash.
    pub paths: Vec<String>,
}

/// Every row of every table; headings and separators are none.
#[must_use]
pub fn rows(text: &str) -> Vec<Row> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_row = |line: &&str| line.starts_with('|');
    let is_separator = |line: &str| line.starts_with('|') && line.chars().all(|c| "|-: ".contains(c));
    let mut rows = Vec::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_row(line)) {
        let heads_a_table = lines.get(index + 1).is_some_and(|next| is_separator(next));
        if !is_separator(line) && !heads_a_table {
            rows.push(row(index + 1, line));
        }
    }
    rows
}

fn row(line: usize, text: &str) -> Row {
    // An escaped bar belongs to its cell; no path and no symbol of the papers needs it.
    let text = text.replace("\\|", "");
    let mut cells = text.trim_matches('|').split('|');
    let first = cells.next().unwrap_or_default();
    let symbols = in_backticks(first).map(|symbol| symbol.split_whitespace().collect()).collect();
    let paths = cells.flat_map(in_backticks).filter(|span| span.contains('/')).map(str::to_owned).collect();
    Row { line, symbols, algorithm: algorithm(first), paths }
}

fn in_backticks(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Reads `Algorithm 1, line 3` or `Algorithm 1, lines 3-5` (any dash).
fn algorithm(cell: &str) -> Option<(u32, RangeInclusive<u32>)> {
    let (_, rest) = cell.split_once("Algorithm ")?;
    let mut numbers = rest
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .filter_map(|digits| digits.parse::<u32>().ok());
    let (number, first) = (numbers.next()?, numbers.next()?);
    let is_range = rest.contains("lines");
    Some((number, first..=numbers.next().filter(|_| is_range).unwrap_or(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_symbols_lines_and_paths() {
        let text = "# Map\n| symbol | where |\n|---|:--|\n| `s(c; x)`, `λ` Eq. 1 | `a/b.rs`, `noslash`, `c/d.rs` |\n\n\
                    | `\\|Δ\\|` | none |\n| Algorithm 1, lines 3–5: `P_i` | `a/b.rs` |\n| Algorithm 2, line 7 | `a/b.rs` |";
        let rows = rows(text);
        assert_eq!(rows.len(), 4, "{rows:?}");
        assert_eq!(rows[0].symbols, ["s(c;x)", "λ"]);
        assert_eq!((rows[0].line, &rows[0].paths[..]), (4, &["a/b.rs".to_owned(), "c/d.rs".to_owned()][..]));
        assert_eq!((rows[1].symbols[0].as_str(), rows[1].paths.len()), ("Δ", 0));
        assert_eq!((rows[2].algorithm.clone(), rows[2].symbols[0].as_str()), (Some((1, 3..=5)), "P_i"));
        assert_eq!(rows[3].algorithm, Some((2, 7..=7)));
    }
}
