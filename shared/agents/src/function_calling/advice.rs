//! What a memory holds back of one turn's calls: a call that it has something to say about is not made,
//! and the agent sends it again if it still holds.

use palaestra_domain::FunctionName;
use palaestra_domain::tool::Effect;

use crate::guide::Guide;

/// What stands in place of a change that comes after a call of the same turn that was held back.
const LATER: &str = "This call was not made, since a call before it in the same turn was not. Nothing was changed. \
                     Send it again if it still holds.";

/// The calls of one turn, as a memory sees them.
pub(super) struct Advice<'a> {
    guide: Option<&'a dyn Guide>,
    /// A call of this turn was held back.
    held: bool,
}

impl<'a> Advice<'a> {
    /// A turn that begins.
    pub(super) fn new(guide: Option<&'a dyn Guide>) -> Self {
        Self { guide, held: false }
    }

    /// What the agent reads in place of the call's result; none when the call is to be made. Changes
    /// keep their order: none overtakes a call that was held back.
    pub(super) fn instead(&mut self, function: &FunctionName, effect: Effect) -> Option<String> {
        let words = self.guide?.before_call(function, effect);
        let changes = matches!(effect, Effect::Write | Effect::Finalize);
        let words = words.or_else(|| (self.held && changes).then(|| LATER.to_owned()));
        self.held |= words.is_some();
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has something to say about one function, always.
    #[derive(Debug)]
    struct About(&'static str);

    impl Guide for About {
        fn at_start(&self, _: &str) -> Option<String> {
            None
        }

        fn before_call(&self, function: &FunctionName, _: Effect) -> Option<String> {
            (function.as_str() == self.0).then(|| "Look first.".to_owned())
        }
    }

    #[test]
    fn no_change_overtakes_a_call_that_was_held_back() {
        let [find, send, delete] =
            ["mail.find", "mail.send", "mail.delete"].map(|n| FunctionName::parse(n).unwrap());
        let about = About("mail.send");
        let mut turn = Advice::new(Some(&about));
        assert_eq!(turn.instead(&delete, Effect::Write), None);
        assert_eq!(turn.instead(&send, Effect::Write).as_deref(), Some("Look first."));
        assert_eq!(turn.instead(&find, Effect::Read), None);
        assert_eq!(turn.instead(&delete, Effect::Write).as_deref(), Some(LATER));
        assert_eq!(Advice::new(None).instead(&send, Effect::Write), None);
    }
}
