//! Typed placeholders for task-specific values (appendix B.3, the placeholder policy).

use serde::{Deserialize, Serialize};

/// The type of a value that must not reach a card.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Placeholder {
    /// A person's name.
    Person,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// An identifier or token.
    Id,
    /// A path in a file system.
    Path,
    /// A place or address.
    Location,
    /// A date or time of day.
    DateOrTime,
    /// An amount of money.
    Amount,
    /// A title: a song, a meeting, a file.
    TitleText,
    /// A product or variant.
    ProductText,
    /// Any other scenario text.
    Text,
}

impl Placeholder {
    /// All types, in order.
    pub const ALL: [Self; 11] = [
        Self::Person,
        Self::Email,
        Self::Phone,
        Self::Id,
        Self::Path,
        Self::Location,
        Self::DateOrTime,
        Self::Amount,
        Self::TitleText,
        Self::ProductText,
        Self::Text,
    ];

    /// The placeholder as it stands in a card, for example `<PERSON>`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "<PERSON>",
            Self::Email => "<EMAIL>",
            Self::Phone => "<PHONE>",
            Self::Id => "<ID>",
            Self::Path => "<PATH>",
            Self::Location => "<LOCATION>",
            Self::DateOrTime => "<DATE_OR_TIME>",
            Self::Amount => "<AMOUNT>",
            Self::TitleText => "<TITLE_TEXT>",
            Self::ProductText => "<PRODUCT_TEXT>",
            Self::Text => "<TEXT>",
        }
    }

    /// The type's name, without brackets: `PERSON`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.as_str().strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or_default()
    }

    /// The placeholder of the n-th distinct value of this type in one packet, for example
    /// `<PERSON_2>`: the same value keeps its number, so joins stay visible.
    #[must_use]
    pub fn numbered(self, n: usize) -> String {
        format!("<{}_{n}>", self.name())
    }
}

/// Takes the numbers off numbered placeholders: `<PERSON_2>` becomes `<PERSON>`. Cards carry the
/// plain form, since a number means something within one packet only.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let Some((inner, tail)) = after.split_once('>') else {
            out.push('<');
            rest = after;
            continue;
        };
        let base = inner.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        if Placeholder::ALL.iter().any(|placeholder| placeholder.name() == base) {
            out.push('<');
            out.push_str(base);
            out.push('>');
            rest = tail;
        } else {
            out.push('<');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_off_placeholders_and_nothing_else() {
        assert_eq!(Placeholder::DateOrTime.numbered(3), "<DATE_OR_TIME_3>");
        assert_eq!(
            plain("send <ID_12> to <PERSON_1>, a < b, <b>x</b>"),
            "send <ID> to <PERSON>, a < b, <b>x</b>"
        );
        assert_eq!(plain("<<PERSON_1>"), "<<PERSON>");
        assert_eq!(plain("open <"), "open <");
    }
}
