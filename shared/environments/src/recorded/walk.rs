//! From inputs to files: a directory stands for all trajectory files below it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::natural::natural_cmp;
use super::report::Refusal;

/// The files of an input, in natural order of their names, and what could not be listed.
pub(super) fn files(path: &Path) -> (Vec<PathBuf>, Vec<Refusal>) {
    let (mut files, mut refused) = (Vec::new(), Vec::new());
    if path.is_dir() {
        collect(path, &mut files, &mut refused);
    } else {
        files.push(path.to_owned());
    }
    (files, refused)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>, refused: &mut Vec<Refusal>) {
    let entries = match list(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("cannot list the directory: {error}");
            let (record, field) = (String::new(), String::new());
            refused.push(Refusal { file: folder.to_owned(), record, field, message });
            return;
        }
    };
    let has_traces = entries.iter().any(|(path, is_folder)| *is_folder && path.ends_with("traces"));
    for (path, is_folder) in entries {
        if !is_folder {
            if is_candidate(&path) {
                files.push(path);
            }
        } else if !(has_traces && path.ends_with("evaluations")) {
            // The evaluations beside traces are read with the traces that they judge.
            collect(&path, files, refused);
        }
    }
}

/// A directory's entries, hidden ones left out; symbolic links to directories are not followed.
fn list(folder: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type()?;
        let linked_folder = kind.is_symlink() && entry.path().is_dir();
        if !hidden && !linked_folder {
            entries.push((entry.path(), kind.is_dir()));
        }
    }
    entries.sort_by(|(a, _), (b, _)| natural_cmp(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(entries)
}

fn is_candidate(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".json", ".jsonl", ".ndjson"].iter().any(|end| name.ends_with(end))
}
