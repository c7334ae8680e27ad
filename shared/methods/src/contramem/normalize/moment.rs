//! Dates and times of day: the one kind of value that packets keep, since their order decides
//! outcomes (appendix B.3).

use std::sync::LazyLock;

use regex::Regex;

/// A date with a year, or a date and time of day, anywhere in a text.
pub(super) const DATE: &str = r"\b(?:(?:19|20)\d{2}[-/]\d{1,2}(?:[-/]\d{1,2})?|\d{1,2}[-/]\d{1,2}[-/](?:(?:19|20)\d{2}|\d{2}))(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{1,2}(?::?\d{2})?)?)?\b";

/// A month by its name, with its year.
pub(super) const NAMED_MONTH: &str = r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d{2}\b";

/// A time of day by itself; the recordings write the next day as `07:00:00+1`.
const TIME: &str = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{1,2}(?::?\d{2})?)?";

static WHOLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?-u)^(?:{DATE}|{TIME})$")).ok());

/// Whether a whole value is a date or a time of day: `2024-05-20`, `2024-05-20T10:00:00`, `10:30`.
/// Telephone numbers and other digits in groups are not.
pub(super) fn looks_like_moment(value: &str) -> bool {
    let bytes = value.as_bytes();
    let allowed =
        |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b':' | b'/' | b'T' | b'Z' | b'.' | b'+' | b' ');
    // Nearly every value is turned away here, before the pattern is tried.
    if !(4..=35).contains(&bytes.len())
        || !bytes.first().is_some_and(u8::is_ascii_digit)
        || !bytes.iter().all(allowed)
    {
        return false;
    }
    WHOLE.as_ref().is_some_and(|regex| regex.is_match(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_moments_and_other_groups_of_digits_are_not() {
        for moment in [
            "2024-05-20",
            "2024/5/2",
            "2024-05",
            "05/20/2024",
            "20-05-24",
            "10:30",
            "7:05:59",
            "07:00:00+1",
            "2024-05-20T10:00:00",
            "2024-05-20 10:00:00.123",
            "2024-05-20T10:00:00Z",
            "2024-05-20T10:00:00+02:00",
        ] {
            assert!(looks_like_moment(moment), "{moment}");
        }
        for other in [
            "555-1234",
            "555-123-4567",
            "1234-5678",
            "1234-56",
            "12345",
            "10.0.0.1",
            "2024",
            "1:2",
            "",
            "T10:30",
        ] {
            assert!(!looks_like_moment(other), "{other}");
        }
    }
}
