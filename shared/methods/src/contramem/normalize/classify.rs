//! Which values belong to one task only, judged by the key that they stand under.

use palaestra_domain::placeholder::Placeholder;

use super::moment::looks_like_moment;

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

/// What a key says of the values under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// Words of the interface.
    Enum,
    /// Values of a type.
    Holds(Placeholder),
    /// Nothing.
    Silent,
}

impl Key {
    pub(super) fn of(key: &str) -> Self {
        if ENUM_KEYS.contains(&key) {
            return Self::Enum;
        }
        by_key(key).map_or(Self::Silent, Self::Holds)
    }
}

/// Keys that hold words of the interface, whatever their value.
const ENUM_KEYS: [&str; 30] = [
    "status",
    "type",
    "kind",
    "folder",
    "folder_name",
    "cabin",
    "insurance",
    "flight_type",
    "trip_type",
    "method",
    "category",
    "priority",
    "role",
    "state_name",
    "sort",
    "sort_by",
    "order_by",
    "direction",
    "currency",
    "unit",
    "source",
    "membership",
    "requestor",
    "mode",
    "network_mode",
    "level",
    "line_status",
    "bill_status",
    "signal",
    "payment_type",
];

/// Classifies one text under its key.
pub(super) fn classify(key: Key, value: &str) -> Class {
    let value = value.trim();
    if value.len() < 2 || value.len() > 4_000 || key == Key::Enum {
        return Class::Public;
    }
    if looks_like_moment(value) {
        return Class::Moment;
    }
    if value.contains('@') && !value.contains(' ') {
        return Class::Private(Placeholder::Email);
    }
    match key {
        // Free text is judged by its own parts, not replaced as a whole.
        Key::Holds(Placeholder::Text) if value.split_whitespace().count() > 12 => Class::Public,
        Key::Holds(placeholder) if !lenient(placeholder) || !is_plain_word(value) => {
            Class::Private(placeholder)
        }
        Key::Holds(_) | Key::Enum => Class::Public,
        Key::Silent => by_shape(value),
    }
}

/// Types under which a single lowercase word is a word of the language, not somebody's value.
fn lenient(placeholder: Placeholder) -> bool {
    matches!(placeholder, Placeholder::ProductText | Placeholder::Text | Placeholder::TitleText)
}

/// What a key says of its value, judged by the key's last word (`user_id` ends in `id`, `paid` does not).
fn by_key(key: &str) -> Option<Placeholder> {
    let start = key.bytes().rposition(|b| matches!(b, b'_' | b'-' | b' ' | b'.')).map_or(0, |at| at + 1);
    let (before, word) = key.split_at_checked(start)?;
    let first = |word: &str| {
        before.strip_suffix('_').and_then(|before| before.strip_suffix(word)).is_some_and(is_border)
    };
    Some(match word {
        "email" | "mail" => Placeholder::Email,
        "number" if first("phone") => Placeholder::Phone,
        "phone" | "telephone" => Placeholder::Phone,
        "id" | "ids" | "token" | "uuid" | "number" | "code" | "reference" | "imei" | "sku" => Placeholder::Id,
        "name" if first("file") => Placeholder::Path,
        "path" | "file" | "filename" | "directory" => Placeholder::Path,
        "address" | "address1" | "address2" | "city" | "country" | "state" | "street" | "location"
        | "origin" | "destination" | "airport" | "zip" | "postcode" => Placeholder::Location,
        "price" | "amount" | "total" | "balance" | "cost" | "fee" => Placeholder::Amount,
        "title" | "subject" | "event" | "playlist" | "song" | "album" => Placeholder::TitleText,
        "name" if first("product") || first("item") => Placeholder::ProductText,
        "product" | "item" | "variant" | "color" | "size" | "material" | "model" => Placeholder::ProductText,
        "name" | "sender" | "recipient" | "recipients" | "attendee" | "attendees" | "person" | "contact"
        | "owner" | "author" | "participant" | "participants" | "to" | "from" | "cc" => Placeholder::Person,
        "content" | "body" | "text" | "query" | "message" | "note" | "summary" | "description"
        | "comment" | "question" => Placeholder::Text,
        _ => return None,
    })
}

/// Whether a word of a key may begin behind this.
fn is_border(before: &str) -> bool {
    before.is_empty() || before.ends_with(['_', '-', ' ', '.'])
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
            ("phone_number", "555-123-4567", Class::Private(Phone)),
            ("phone", "555-1234", Class::Private(Phone)),
            ("paid", "yes", Class::Public),
            ("whatever", "credit_card_4421486", Class::Private(Id)),
            ("whatever", "/home/user/x.txt", Class::Private(Path)),
            ("whatever", "Quarterly Planning Review", Class::Private(Text)),
        ] {
            assert_eq!(classify(Key::of(key), value), class, "{key}={value}");
        }
    }
}
