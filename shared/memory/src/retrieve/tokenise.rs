//! From text to the terms that retrieval, semantic closure and the doc-delta rule compare.
//!
//! Words are cut at everything that is no letter or digit and inside `camelCase`; stop words go,
//! negations stay; English inflections are stripped lightly, so that `deletes`, `deleted` and
//! `deleting` are one term. Terms are for comparison only and never shown.

/// Words without content, sorted. Negations are left out on purpose: they change what a rule says.
const STOP_WORDS: [&str; 84] = [
    "a", "about", "also", "an", "and", "any", "are", "as", "at", "be", "been", "being", "both", "but", "by",
    "can", "could", "did", "do", "does", "each", "either", "for", "from", "had", "has", "have", "he", "her",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "might", "must", "my",
    "of", "on", "or", "our", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "to", "use", "used", "uses", "using", "via", "was",
    "we", "were", "what", "when", "which", "while", "who", "will", "with", "would", "you", "your", "yours",
];

/// Calls `visit` with every term of a text, in order; `buffer` is working memory to be reused.
pub fn for_each_term(text: &str, buffer: &mut String, mut visit: impl FnMut(&str)) {
    buffer.clear();
    let mut after_lower = false;
    for c in text.chars() {
        // An apostrophe belongs to its word: `doesn't` is one term, not `doesn` and `t`.
        if c == '\'' || c == '’' {
            continue;
        }
        if !c.is_alphanumeric() || (after_lower && c.is_uppercase()) {
            emit(buffer, &mut visit);
        }
        if c.is_alphanumeric() {
            buffer.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase() || c.is_numeric();
    }
    emit(buffer, &mut visit);
}

/// Every term of a text, in order, with repetitions.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for_each_term(text, &mut String::new(), |term| found.push(term.to_owned()));
    found
}

fn emit(buffer: &mut String, visit: &mut impl FnMut(&str)) {
    let single_letter = buffer.len() == 1 && buffer.bytes().all(|b| b.is_ascii_alphabetic());
    if !buffer.is_empty() && !single_letter && STOP_WORDS.binary_search(&buffer.as_str()).is_err() {
        stem(buffer);
        visit(buffer);
    }
    buffer.clear();
}

/// Strips plural, `-ed` and `-ing`, then a final `e` and a doubled final consonant, so that the
/// forms of one verb meet. Words with other than ASCII letters stay as they are.
fn stem(word: &mut String) {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    strip_plural(word);
    strip_participle(word);
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
    let mut last = word.bytes().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && !is_vowel(a)
        && word.len() > 2
    {
        word.pop();
    }
}

fn strip_plural(word: &mut String) {
    if word.len() > 4 && (word.ends_with("ies") || word.ends_with("ied")) {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ["sses", "xes", "zes", "ches", "shes"].iter().any(|end| word.ends_with(end)) {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.pop();
    }
}

fn strip_participle(word: &mut String) {
    for suffix in ["ing", "ed"] {
        if let Some(root) = word.strip_suffix(suffix) {
            let keep = root.len();
            if keep >= 3 && root.bytes().any(is_vowel) {
                word.truncate(keep);
            }
            return;
        }
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_meet_and_different_words_do_not() {
        for family in [
            &["delete", "deletes", "deleted", "deleting"][..],
            &["reply", "replies", "replied", "replying"],
            &["stop", "stops", "stopped", "stopping"],
            &["pass", "passes", "passed", "passing"],
            &["cancel", "cancels", "cancelled", "canceled", "cancelling"],
            &["address", "addresses"],
            &["page", "pages", "paging"],
        ] {
            let stems: std::collections::BTreeSet<_> = family.iter().flat_map(|word| terms(word)).collect();
            assert_eq!(stems.len(), 1, "{family:?} -> {stems:?}");
        }
        assert_ne!(terms("order"), terms("orbit"));
        assert_ne!(terms("status"), terms("state"));
    }

    #[test]
    fn names_are_cut_and_negations_survive() {
        assert_eq!(terms("EmailClientV2.delete_email"), ["email", "client", "v2", "delet", "email"]);
        assert_eq!(terms("Do not write before <DATE_OR_TIME>"), ["not", "writ", "befor", "dat", "tim"]);
        assert_eq!(terms("It doesn't"), ["doesnt"]);
        assert_eq!(terms("Prüfung der Größe"), ["prüfung", "der", "größe"]);
        assert!(terms(" ... ").is_empty());
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
