//! Names that a code idiom may use: they say what a value is to the program, never what it is in the
//! world. Besides these, a card's own argument names are allowed, being the function's vocabulary.

/// Variables, sorted.
pub(super) const VARIABLES: [&str; 66] = [
    "access_token",
    "all_items",
    "answer",
    "batch",
    "cell",
    "chunk",
    "collected",
    "condition",
    "count",
    "current",
    "cursor",
    "data",
    "done",
    "entries",
    "entry",
    "error",
    "exc",
    "field",
    "fields",
    "filtered",
    "found",
    "group",
    "has_more",
    "id",
    "ids",
    "index",
    "item",
    "item_id",
    "items",
    "key",
    "keys",
    "last",
    "limit",
    "line",
    "lines",
    "match",
    "matches",
    "matching",
    "name",
    "names",
    "next_page",
    "number",
    "offset",
    "output",
    "page",
    "page_index",
    "page_limit",
    "page_number",
    "pages",
    "params",
    "query",
    "record",
    "records",
    "response",
    "result",
    "results",
    "row",
    "rows",
    "seen",
    "selected",
    "status",
    "target",
    "token",
    "total",
    "value",
    "values",
];

/// Single letters for counters and elements, sorted.
pub(super) const LETTERS: [&str; 10] = ["_", "e", "i", "j", "k", "n", "p", "r", "v", "x"];

/// Builtins that only compute, sorted. Nothing that runs text, reaches attributes or opens files.
pub(super) const BUILTINS: [&str; 25] = [
    "Exception",
    "KeyError",
    "ValueError",
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "enumerate",
    "filter",
    "float",
    "int",
    "isinstance",
    "len",
    "list",
    "max",
    "min",
    "next",
    "print",
    "range",
    "set",
    "sorted",
    "str",
    "sum",
    "zip",
];

/// Whether an idiom may use a name without being asked where it comes from.
pub(super) fn is_generic(name: &str) -> bool {
    [&VARIABLES[..], &LETTERS, &BUILTINS].iter().any(|list| list.binary_search(&name).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_hold_nothing_that_runs_text() {
        assert!(VARIABLES.is_sorted() && LETTERS.is_sorted() && BUILTINS.is_sorted());
        for name in ["exec", "eval", "compile", "open", "getattr", "__import__", "globals", "input", "apis"] {
            assert!(!is_generic(name), "{name}");
        }
    }
}
