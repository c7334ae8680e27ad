//! Links from the documents to files of the repository lead somewhere.

use crate::violation::Violation;

/// Broken links of the Markdown file at `path`; `has` says whether a path is in the repository.
#[must_use]
pub fn broken_links(path: &str, text: &str, has: &dyn Fn(&str) -> bool) -> Vec<Violation> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        in_code ^= line.trim_start().starts_with("```");
        for target in targets(line).filter(|target| !in_code && is_local(target)) {
            let file = resolve(folder, target.split('#').next().unwrap_or_default());
            if !file.as_deref().is_some_and(has) {
                found.push(Violation::new(
                    format!("{path}:{}", index + 1),
                    format!("a link to {target}, which is not in the repository"),
                    "write the path relative to this document",
                ));
            }
        }
    }
    found
}

/// The targets of the inline links in a line, without their titles.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?;
        target.split_whitespace().next().map(|target| target.trim_start_matches('<').trim_end_matches('>'))
    })
}

fn is_local(target: &str) -> bool {
    !target.starts_with('#') && !target.contains("://") && !target.starts_with("mailto:")
}

/// The path from the root; `None` when it leaves the repository.
fn resolve(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_from_their_document() {
        let has = |path: &str| ["docs/a.md", "README.md", "docs/adr/0001.md"].contains(&path);
        let good = "[a](a.md) [b](../README.md#top \"t\") [c](https://x.example) [d](#here)\n```\n[x](gone.md)\n```\n";
        assert_eq!(broken_links("docs/b.md", good, &has), []);
        assert_eq!(broken_links("docs/adr/0001.md", "[a](../a.md)", &has), []);
        for bad in ["[a](gone.md)", "[a](../a.md)", "[a](../../README.md)", "![i](<gone.png>)"] {
            let found = broken_links("docs/b.md", &format!("text\n{bad}"), &has);
            assert!(found.len() == 1 && found[0].place == "docs/b.md:2", "{bad}: {found:?}");
        }
    }
}
