//! Listings come in pages: `page`, `page_size` and `has_more` are the same everywhere.

use serde_json::{Value, json};

use super::tool::{Args, Kind, Param, Preset};

/// Items of a page when the caller names no size.
const DEFAULT_SIZE: i64 = 10;
/// The most items that a page can hold.
const LARGEST_SIZE: i64 = 25;

/// Which page, counted from 1.
pub(crate) const PAGE: Param = Param {
    name: "page",
    kind: Kind::Integer { low: 1, high: 1000 },
    preset: Preset::Integer(1),
    about: "Which page of the listing, counted from 1.",
};

/// How many items a page holds.
pub(crate) const PAGE_SIZE: Param = Param {
    name: "page_size",
    kind: Kind::Integer { low: 1, high: LARGEST_SIZE },
    preset: Preset::Integer(DEFAULT_SIZE),
    about: "How many items a page holds.",
};

/// Cuts the asked-for page out of a whole listing. `has_more` tells whether another one follows;
/// the number of all items is not told.
pub(crate) fn page(items: Vec<Value>, args: &Args) -> Value {
    let number = usize::try_from(args.integer("page")).unwrap_or(1).max(1);
    let size = usize::try_from(args.integer("page_size")).unwrap_or(1).max(1);
    let start = (number - 1).saturating_mul(size);
    let has_more = items.len() > start.saturating_add(size);
    let shown: Vec<Value> = items.into_iter().skip(start).take(size).collect();
    json!({ "items": shown, "page": number, "page_size": size, "has_more": has_more })
}

/// Whether any of the texts contains the query, whatever the case; an empty query fits all.
pub(crate) fn mentions<'a>(query: &str, texts: impl IntoIterator<Item = &'a str>) -> bool {
    let query = query.trim().to_lowercase();
    query.is_empty() || texts.into_iter().any(|text| text.to_lowercase().contains(&query))
}
