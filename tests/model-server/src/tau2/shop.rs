//! What a hurried look at the shop's shelves shows.

use std::collections::BTreeMap;

use super::data::Database;

/// The first available variants of every product.
#[derive(Debug)]
pub(super) struct Shop(BTreeMap<String, Vec<String>>);

impl Shop {
    /// By item, the available items of the same product, in the order of their ids.
    pub(super) fn new(database: Database) -> Self {
        let mut shelves = BTreeMap::new();
        for product in database.products.into_values() {
            let available = product.variants.iter().filter(|(_, variant)| variant.available);
            let available: Vec<String> = available.map(|(id, _)| id.clone()).collect();
            for id in product.variants.into_keys() {
                shelves.insert(id, available.clone());
            }
        }
        Self(shelves)
    }

    /// The first item on the shelf that is not the one to be replaced.
    pub(super) fn first_other(&self, wanted: &str, replaced: &str) -> Option<&str> {
        self.0.get(wanted)?.iter().find(|item| *item != replaced).map(String::as_str)
    }
}
