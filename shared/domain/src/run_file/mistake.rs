//! Everything that is wrong with a run file, at once.

/// One mistake with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// Line in the file, from 1.
    pub line: usize,
    /// Path of the field, for example `spec.sources[1].scripted`; empty for the whole file.
    pub path: String,
    /// What is wrong and what to write instead.
    pub message: String,
}

/// All mistakes of one file, by line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes {
    /// The file, as the user named it.
    pub file: String,
    /// The mistakes, sorted by line.
    pub mistakes: Vec<Mistake>,
}

impl std::fmt::Display for Mistakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.mistakes.len();
        write!(f, "{} has {count} mistake{}", self.file, if count == 1 { "" } else { "s" })?;
        for Mistake { line, path, message } in &self.mistakes {
            write!(f, "\n  {}:{line}: ", self.file)?;
            if !path.is_empty() {
                write!(f, "{path}: ")?;
            }
            f.write_str(message)?;
        }
        Ok(())
    }
}
