//! Which values belong to one task only, judged by the key that they stand under.

use palaestra_domain::placeholder::Placeholder;

/// What a value is to a reader of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Belongs to this task; replaced in packets and forbidden in cards.
    Private(Placeholder),
    /// A date or time: kept in packets, forbidden in cards.
    Moment,
    /// A word of the interface: an enum, a flag, a small number.
    Public,
}

/// Keys that hold words of the interface, whatever their value.
const ENUM_KEYS: [&str; 30] = [
    "status", "type", "kind", "folder", "folder_name", "cabin", "insurance", "flight_type", "trip_type", "method",
    "category", "priority", "role", "state_name", "sort", "sort_by", "order_by", "direction", "currency", "unit",
    "source", "membership", "requestor", "mode", "network_mode", "level", "line_status", "bill_status", "signal",
    "payment_type",
];

/// Classifies one text under its key.
pub(super) fn classify(key: &str, value: &str) -> Class {
    let value = value.trim();
    if value.len() < 2 || value.len() > 4_000 || ENUM_KEYS.contains(&key) {
        return Class::Public;
    }
    if looks_like_moment(value) {
        return Class::Moment;
    }
    if value.contains('@') && !value.contains(' ') {
        return Class::Private(Placeholder::Email);
    }
    match by_key(key) {
        // Free text is judged by its own parts, not replaced as a whole.
        Some(Placeholder::Text) if value.split_whitespace().count() > 12 => Class::Public,
        Some(placeholder) if !is_plain_word(value) || !lenient(placeholder) => Class::Private(placeholder),
        Some(_) => Class::Public,
        None => by_shape(value),
    }
}

/// Types under which a single lowercase word is a word of the language, not somebody's value.
fn lenient(placeholder: Placeholder) -> bool {
    matches!(placeholder, Placeholder::ProductText | Placeholder::Text | Placeholder::TitleText)
}

fn by_key(key: &str) -> Option<Placeholder> {
    let key = key.rsplit('.').next().unwrap_or(key);
    let ends = |suffixes: &[&str]| suffixes.iter().any(|s| key == *s || (key.ends_with(s) && ends_word(key, s)));
    if ends(&["email", "mail"]) {
        return Some(Placeholder::Email);
    }
    if ends(&["phone", "phone_number", "telephone"]) {
        return Some(Placeholder::Phone);
    }
    if ends(&["id", "ids", "token", "uuid", "number", "code", "reference", "imei", "sku"]) {
        return Some(Placeholder::Id);
    }
    if ends(&["path", "file", "filename", "file_name", "directory"]) {
        return Some(Placeholder::Path);
    }
    if ends(&[
        "address", "address1", "address2", "city", "country", "state", "street", "location", "origin", "destination",
        "airport", "zip", "postcode",
    ]) {
        return Some(Placeholder::Location);
    }
    if ends(&["price", "amount", "total", "balance", "cost", "fee"]) {
        return Some(Placeholder::Amount);
    }
    if ends(&["title", "subject", "event", "playlist", "song", "album"]) {
        return Some(Placeholder::TitleText);
    }
    if ends(&["product", "item", "variant", "product_name", "item_name", "color", "size", "material", "model"]) {
        return Some(Placeholder::ProductText);
    }
    if ends(&[
        "name", "sender", "recipient", "recipients", "attendee", "attendees", "person", "contact", "owner", "author",
        "participant", "participants", "to", "from", "cc",
    ]) {
        return Some(Placeholder::Person);
    }
    ends(&["content", "body", "text", "query", "message", "note", "summary", "description", "comment", "question"])
        .then_some(Placeholder::Text)
}

/// Whether the suffix starts at a word border of the key (`user_id` ends in `id`, `paid` does not).
fn ends_word(key: &str, suffix: &str) -> bool {
    key.strip_suffix(suffix).is_some_and(|head| head.ends_with(['_', '-', ' ']))
}

/// A value under a key that says nothing: identifiers and phrases are private, single words not.
fn by_shape(value: &str) -> Class {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let words = value.split_whitespace().count();
    if words == 1 && digits >= 3 && value.len() >= 4 {
        return Class::Private(Placeholder::Id);
    }
    if value.starts_with('/') && value.len() > 2 {
        return Class::Private(Placeholder::Path);
    }
    if (2..=12).contains(&words) && value.chars().any(char::is_uppercase) {
        return Class::Private(Placeholder::Text);
    }
    Class::Public
}

/// One word in lower case, or in capitals like an enum: never a secret by itself.
fn is_plain_word(value: &str) -> bool {
    let letters = value.chars().all(|c| c.is_alphabetic() || c == '_' || c == '-');
    letters && (value.chars().all(|c| !c.is_uppercase()) || value.chars().all(|c| !c.is_lowercase()))
}

/// `2024-05-20`, `2024-05-20T10:00:00`, `10:30`, `2024/05/20 10:30:00`.
pub(super) fn looks_like_moment(value: &str) -> bool {
    let bytes = value.as_bytes();
    if bytes.len() < 4 || bytes.len() > 35 || !bytes.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let allowed = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b':' | b'/' | b'T' | b'Z' | b'.' | b'+' | b' ');
    bytes.iter().all(allowed) && bytes.iter().filter(|b| matches!(b, b'-' | b':' | b'/')).count() >= 1
        && bytes.iter().filter(|b| b.is_ascii_digit()).count() >= 3
        && !value.contains("--")
        && value.split(['-', ':', '/', 'T', ' ', '.', '+', 'Z']).all(|part| part.len() <= 9)
        && value.split(['-', '/', ':']).next().is_some_and(|first| first.len() <= 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_shapes_tell_private_values_from_words_of_the_interface() {
        use Placeholder::*;
        for (key, value, class) in [
            ("user_id", "mei_kovacs_8020", Class::Private(Id)),
            ("order_id", "#W7800651", Class::Private(Id)),
            ("email", "mei@example.com", Class::Private(Email)),
            ("first_name", "Mei", Class::Private(Person)),
            ("zip", "28236", Class::Private(Location)),
            ("origin", "JFK", Class::Private(Location)),
            ("status", "pending", Class::Public),
            ("folder_name", "INBOX", Class::Public),
            ("cabin", "economy", Class::Public),
            ("reason", "no longer needed", Class::Public),
            ("color", "black", Class::Public),
            ("name", "Water Bottle", Class::Private(Person)),
            ("date", "2024-05-20", Class::Moment),
            ("start", "10:30", Class::Moment),
            ("paid", "yes", Class::Public),
            ("whatever", "credit_card_4421486", Class::Private(Id)),
            ("whatever", "/home/user/x.txt", Class::Private(Path)),
            ("whatever", "Quarterly Planning Review", Class::Private(Text)),
        ] {
            assert_eq!(classify(key, value), class, "{key}={value}");
        }
    }
}
