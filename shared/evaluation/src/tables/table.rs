//! A table as text, whatever it is printed as.

/// A titled table of printable cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The heading.
    pub title: String,
    /// What a reader must know to read it, or nothing.
    pub note: String,
    /// The columns' names.
    pub header: Vec<String>,
    /// How many leading columns are names and not numbers.
    pub names: usize,
    /// The cells; every row is as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(title: &str, note: &str, names: &[&str], numbers: &[&str]) -> Self {
        let header = names.iter().chain(numbers).map(|name| (*name).to_owned()).collect();
        Self { title: title.to_owned(), note: note.to_owned(), header, names: names.len(), rows: Vec::new() }
    }
}
