//! What a task asks for, in a form that a program can follow: the plan that a template publishes
//! for *scripted* agents, so that they need no language model to understand an instruction.
//!
//! An intent says the same as the instruction and no more: names, subjects and dates that stand
//! in it, and which steps it implies. It never holds an id, a result or the user's answer; those
//! have to be found by acting. A model-backed agent must not be shown it.
//!
//! Texts and arguments may hold `{name.field}`: the field of what a goal bound under that name.

use serde_json::{Map, Value};

/// A name under which a goal leaves what it found for later goals.
pub type Binding = &'static str;

/// How a field of an item is judged; values may hold `{name.field}`.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// Equals the value.
    Is(Value),
    /// Is a text or a list that contains this text, whatever the case.
    Has(String),
    /// Is a text that does not contain this text.
    Lacks(String),
    /// Comes before the value: smaller, or earlier in the alphabet.
    Below(Value),
    /// Equals the value or comes after it.
    AtLeast(Value),
}

/// A condition on one field of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Keep {
    /// The field.
    pub field: &'static str,
    /// How it is judged.
    pub test: Test,
}

/// What a check looks at before a plain step is taken.
#[derive(Debug, Clone, PartialEq)]
pub enum When {
    /// A list that was gathered is empty.
    Empty(Binding),
    /// An item that was looked at fits.
    Fits(Binding, Keep),
}

/// What a person is looked up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Details of the person are needed.
    Details,
    /// Only an address to write to is needed.
    Address,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// Collect the items of a listing that fit.
    Gather {
        /// Where the list is left.
        into: Binding,
        /// The listing function.
        listing: &'static str,
        /// Its arguments, paging left out.
        arguments: Map<String, Value>,
        /// What an item has to fulfil.
        keep: Vec<Keep>,
    },
    /// Narrow a list that was gathered, without a call.
    Narrow {
        /// Where the narrower list is left.
        into: Binding,
        /// The list.
        from: Binding,
        /// What an item has to fulfil.
        keep: Vec<Keep>,
    },
    /// Settle on the one item that is meant; when that is open, the question settles it.
    Choose {
        /// Where the item is left.
        into: Binding,
        /// The candidates.
        from: Binding,
        /// A wider list for when the candidates are not what was meant.
        wide: Option<Binding>,
        /// What to ask the user.
        question: String,
    },
    /// Find a person among the contacts.
    Person {
        /// Where the contact is left.
        into: Binding,
        /// The name, or a part of it.
        name: String,
        /// A further detail that the instruction gives.
        detail: Option<Keep>,
        /// What the person is looked up for.
        purpose: Purpose,
        /// What to ask the user when several fit.
        question: String,
    },
    /// Look at one thing.
    Look {
        /// Where it is left.
        into: Binding,
        /// The reading function.
        function: &'static str,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
    /// Take a part out of a text: what stands between two words.
    Extract {
        /// Where the part is left, as its field `text`.
        into: Binding,
        /// The text.
        text: String,
        /// What stands before the part.
        after: &'static str,
        /// What ends it.
        until: &'static str,
    },
    /// The item with the lowest value of a field.
    Lowest {
        /// Where the item is left.
        into: Binding,
        /// The list.
        from: Binding,
        /// The field.
        field: &'static str,
    },
    /// A number that the instruction leaves open.
    AskNumber {
        /// Where the number is left, as its field `number`.
        into: Binding,
        /// What to ask the user.
        question: String,
    },
    /// A plain step that stands under a condition.
    Check {
        /// The reads that the condition needs.
        reads: Vec<Goal>,
        /// The condition.
        when: When,
        /// The plain step: what to do when it holds.
        then: Vec<Goal>,
        /// What to do instead.
        otherwise: Vec<Goal>,
    },
    /// Go through a list by a rising field and act on the first item that is fit for it.
    FirstThat {
        /// Where the item at hand is left.
        into: Binding,
        /// The list.
        from: Binding,
        /// The field to go by.
        by: &'static str,
        /// The reads that tell whether the item is fit.
        reads: Vec<Goal>,
        /// The condition.
        when: When,
        /// What to do with the item; a failure means that it was not fit.
        then: Vec<Goal>,
    },
    /// The same for every item of a list.
    Each {
        /// Where the item at hand is left.
        into: Binding,
        /// The list.
        from: Binding,
        /// What to do.
        goals: Vec<Goal>,
    },
    /// Two steps whose order the instruction fixes.
    InOrder {
        /// What comes first.
        first: Vec<Goal>,
        /// What comes after it.
        then: Vec<Goal>,
    },
    /// Put an item on a list.
    Take {
        /// The list.
        into: Binding,
        /// The item.
        item: Binding,
    },
    /// How many items a list has.
    Count {
        /// Where the number is left, as its field `number`.
        into: Binding,
        /// The list.
        from: Binding,
    },
    /// The sum of a field over a list.
    Sum {
        /// Where the number is left, as its field `number`.
        into: Binding,
        /// The list.
        from: Binding,
        /// The field.
        field: &'static str,
    },
    /// Change the world.
    Write {
        /// The function.
        function: &'static str,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
    /// The final response.
    Reply {
        /// The words.
        text: String,
    },
}
