//! Replaces a task's values inside free text.
//!
//! Known values are found by their first word (a hash look-up per word, cheaper than building an
//! automaton per task); what no call or observation showed is caught by its pattern.

use super::patterns;
use super::table::{FastMap, Numbered, ValueTable};

/// Bytes that are read beyond a limit, so that a value at the border is seen whole before the cut.
const BEYOND: usize = 64;

/// The longest value that a table holds, in bytes, or a little more.
const LONGEST: usize = 4_096;

/// Which bytes of ASCII stand in words.
const WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        #[expect(
            clippy::indexing_slicing,
            reason = "a constant with an index out of bounds does not compile"
        )]
        {
            table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        }
        byte += 1;
    }
    table
};

/// Finds the values of one [`ValueTable`] in text.
pub(super) struct Replacer<'t> {
    /// First word to the values that begin with it, longest first.
    by_word: FastMap<&'t str, Vec<Known<'t>>>,
    /// The lengths of the first words by their first byte, one bit each: most words of a text are
    /// turned away here, without being hashed.
    lengths: [u64; 256],
}

/// A value that some tool showed.
struct Known<'t> {
    value: &'t str,
    /// Where its first word begins.
    offset: usize,
    placeholder: Numbered,
}

/// Text that is written up to a limit: what stands between replacements is copied in one piece.
struct Draft<'a> {
    text: &'a str,
    out: String,
    /// Where the text begins that is not copied yet.
    from: usize,
    /// How far the text is read.
    at: usize,
}

impl<'t> Replacer<'t> {
    pub(super) fn new(table: &'t ValueTable) -> Self {
        let mut by_word: FastMap<&str, Vec<Known<'_>>> = FastMap::default();
        let mut lengths = [0; 256];
        for (value, placeholder) in table.replaced() {
            let Some(offset) = value.find(is_word) else { continue };
            let word = value.get(offset..offset + word_length(value, offset)).unwrap_or_default();
            if let Some(bits) = slot(word).and_then(|slot| lengths.get_mut(slot)) {
                *bits |= length_bit(word);
            }
            by_word.entry(word).or_default().push(Known { value, offset, placeholder });
        }
        for candidates in by_word.values_mut() {
            candidates.sort_by(|a, b| b.value.len().cmp(&a.value.len()).then(a.value.cmp(b.value)));
        }
        Self { by_word, lengths }
    }

    /// The text with every known value replaced and blanks folded, cut at a blank so that at most
    /// `limit` bytes remain; a value at the border is replaced whole or left out, never cut.
    pub(super) fn replace(&self, text: &str, limit: usize) -> String {
        // What stands behind is not looked at, however long the text is.
        let window = text.get(..text.floor_char_boundary(limit + BEYOND + LONGEST)).unwrap_or_default();
        let more = window.len() < text.len();
        // Models write blanks of many kinds; a value is the same whichever stands between its words.
        let plain;
        let text = if has_wide_blank(window) {
            plain = window.replace(|c: char| c.is_whitespace() && !c.is_ascii(), " ");
            &plain
        } else {
            window
        };
        let capacity = text.len().min(limit + BEYOND) + 32;
        let mut draft = Draft { text, out: String::with_capacity(capacity), from: 0, at: 0 };
        while draft.at < text.len() && draft.length() < limit + BEYOND {
            match word_length(text, draft.at) {
                0 => draft.take_blank_or_sign(),
                length => self.take_word(&mut draft, length),
            }
        }
        draft.flush();
        let unfinished = more || draft.at < text.len();
        let out = patterns::replace(draft.out);
        // The end of an unfinished text may be the beginning of a value.
        let certain = if unfinished { out.len().saturating_sub(BEYOND) } else { out.len() };
        if certain == out.len() && certain <= limit { out } else { cut(&out, limit.min(certain)) }
    }

    /// Takes the value that starts at this word, or the word.
    fn take_word(&self, draft: &mut Draft<'_>, length: usize) {
        let (text, at) = (draft.text, draft.at);
        for known in self.candidates(text.get(at..at + length).unwrap_or_default()) {
            let Some(start) = at.checked_sub(known.offset) else { continue };
            let end = start + known.value.len();
            let here = text.get(start..end) == Some(known.value);
            // Several words in a row are the value even where its last word goes on ("Main St", "Main Street").
            let rest = word_length(text, end);
            let border = rest == 0 || known.value.contains(' ');
            if here && border && draft.take_value(end + rest, known) {
                return;
            }
        }
        draft.at += length;
    }

    fn candidates(&self, word: &str) -> &[Known<'t>] {
        let bits = slot(word).and_then(|slot| self.lengths.get(slot)).copied().unwrap_or_default();
        if bits & length_bit(word) == 0 {
            return &[];
        }
        self.by_word.get(word).map(Vec::as_slice).unwrap_or_default()
    }
}

impl Draft<'_> {
    /// How long the result is so far, in bytes.
    fn length(&self) -> usize {
        self.out.len() + self.at - self.from
    }

    fn flush(&mut self) {
        self.out.push_str(self.text.get(self.from..self.at).unwrap_or_default());
        self.from = self.at;
    }

    /// Reads one character outside of words; any number of blanks becomes one, and none at the start.
    fn take_blank_or_sign(&mut self) {
        let Some(c) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else { return };
        if !c.is_whitespace() && !c.is_control() {
            self.at += c.len_utf8();
            return;
        }
        let behind = self.text.get(self.from..self.at).and_then(|pending| pending.bytes().last());
        let behind = behind.or_else(|| self.out.bytes().last());
        if c == ' ' && behind.is_some_and(|byte| byte != b' ') {
            self.at += 1;
            return;
        }
        self.flush();
        if behind.is_some_and(|byte| byte != b' ') {
            self.out.push(' ');
        }
        self.at += c.len_utf8();
        self.from = self.at;
    }

    /// Takes a value that ends at `end`, unless what stands before its first word is gone already.
    fn take_value(&mut self, end: usize, known: &Known<'_>) -> bool {
        self.flush();
        let prefix = known.value.get(..known.offset).unwrap_or_default();
        if !self.out.ends_with(prefix) {
            return false;
        }
        self.out.truncate(self.out.len() - prefix.len());
        known.placeholder.write(&mut self.out);
        (self.at, self.from) = (end, end);
        true
    }
}

/// Whether a blank beyond ASCII stands in a text. Most texts have none, but many have a dash or a quote.
fn has_wide_blank(text: &str) -> bool {
    const FIRST_OF_SEVERAL_BYTES: u8 = 0xC2;
    let starts = text.bytes().enumerate().filter(|(_, byte)| *byte >= FIRST_OF_SEVERAL_BYTES);
    starts.filter_map(|(at, _)| text.get(at..)?.chars().next()).any(char::is_whitespace)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the word that stands at a position, in bytes; 0 when none does.
fn word_length(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let inside = |byte: &u8| WORD_BYTES.get(usize::from(*byte)).copied().unwrap_or_default();
    let ascii = rest.iter().position(|byte| !inside(byte)).unwrap_or(rest.len());
    match rest.get(ascii) {
        // A letter beyond ASCII, perhaps.
        Some(byte) if !byte.is_ascii() => {
            let rest = text.get(from..).unwrap_or_default();
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        }
        _ => ascii,
    }
}

fn slot(word: &str) -> Option<usize> {
    word.bytes().next().map(usize::from)
}

fn length_bit(word: &str) -> u64 {
    1 << word.len().min(63)
}

/// At most `limit` bytes up to a blank, with a mark that there was more.
fn cut(text: &str, limit: usize) -> String {
    let blanks = text.match_indices(' ').map(|(at, _)| at);
    let end = blanks.take_while(|at| *at <= limit).last().unwrap_or_default();
    format!("{} ...", text.get(..end).unwrap_or_default())
}
