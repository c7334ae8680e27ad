//! Words for functions and lists, shared by the miner's sentences.

use std::collections::BTreeSet;

use palaestra_domain::FunctionName;

/// `modify_pending_order_items` as `modify pending order items`.
pub(super) fn humanize(function: &FunctionName) -> String {
    function.function().replace(['_', '-', '.'], " ").to_lowercase()
}

/// `` `a` ``, `` `a` and `b` ``, `` `a`, `b` and `c` ``: the callable names of functions.
pub(super) fn names<'a>(functions: impl IntoIterator<Item = &'a FunctionName>) -> String {
    let all: Vec<String> = functions.into_iter().map(|f| format!("`{}`", f.function())).collect();
    joined(&all)
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn joined(all: &[String]) -> String {
    match all.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, head)) => format!("{} and {last}", head.join(", ")),
    }
}

/// Lowercase words of letters, three letters or more, without placeholders.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let mut plain = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    plain
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| word.len() >= 3)
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Shared words over all words of two texts, 0 to 1.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    let all = a.union(&b).count();
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_people_write_them() {
        let f = |t| FunctionName::parse(t).unwrap();
        assert_eq!(names(&[f("a.x")]), "`x`");
        assert_eq!(names(&[f("a.x"), f("a.y"), f("a.z")]), "`x`, `y` and `z`");
        assert_eq!(humanize(&f("retail.cancel_pending_order")), "cancel pending order");
        assert!(similarity("call <ID> now", "now call it") > 0.99);
        assert!(similarity("", "") < 0.01);
    }
}
